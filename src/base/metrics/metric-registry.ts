/**
 * Counters, gauges and histograms, and the registry that prints them.
 *
 * Invariants: a handle counts without a lookup. The text of a label set is made once, when it is first printed. A
 * metric has at most `maxSeries` series: further label sets share one series, whose labels are all `overflow`.
 */
import { BugError } from '../errors.ts';
import { compareUtf8 } from '../utf8.ts';
import { formatHeader, formatLabels, formatValue } from './metrics-text.ts';

export interface MetricOptions<Labels extends readonly string[]> {
  readonly name: string;
  readonly help: string;
  /** In the order in which `labels()` takes their values; printed in alphabetical order. */
  readonly labels: Labels;
  /**
   * The number of series besides the overflow one. Default 10,000. For a histogram 2,000, because each series prints a
   * line per bucket and printing blocks the event loop.
   */
  readonly maxSeries?: number;
}

export interface HistogramOptions<Labels extends readonly string[]> extends MetricOptions<Labels> {
  /** Finite upper bounds in ascending order; `+Inf` is added. */
  readonly buckets: readonly number[];
}

/** The label value of the series that counts for all label sets beyond `maxSeries`. */
export const OVERFLOW = 'overflow';

const DEFAULT_MAX_SERIES = 10_000;
const DEFAULT_MAX_HISTOGRAMS = 2_000;

/** One value per label name. */
export type LabelValues<Labels extends readonly string[]> = { readonly [Index in keyof Labels]: string };

/** A value that only grows. */
export class Counter {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  /** Throws BugError for a negative number and for NaN. */
  add(by = 1): void {
    if (!(by >= 0)) throw new BugError(`a counter cannot grow by ${by}`);
    this.#value += by;
  }
}

export class Gauge {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  set(value: number): void {
    this.#value = value;
  }

  add(by = 1): void {
    this.#value += by;
  }
}

export class Histogram {
  readonly #bounds: readonly number[];
  /** Per bucket, not cumulative. The last one is `+Inf`. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  get sum(): number {
    return this.#sum;
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    // Most values fall into the first buckets. NaN falls into the last.
    while (bucket < bounds.length && !(value <= (bounds[bucket] as number))) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += value;
  }

  /** Returns, for each bound, how many values were at most that large. The last one counts all values. */
  cumulated(): readonly number[] {
    let total = 0;
    return Array.from(this.#counts, (count) => (total += count));
  }
}

/** One label set with its handle. */
class Series<Handle> {
  /** In the order of the printed labels. */
  readonly values: readonly string[];
  readonly handle: Handle;
  #text: string | undefined;

  constructor(values: readonly string[], handle: Handle) {
    this.values = values;
    this.handle = handle;
  }

  text(names: readonly string[]): string {
    this.#text ??= formatLabels(names, this.values);
    return this.#text;
  }
}

/** One metric with its series. */
export class Family<Handle, Labels extends readonly string[] = readonly string[]> {
  readonly name: string;
  readonly #options: MetricOptions<Labels>;
  readonly #create: () => Handle;
  /** The names of the labels, as they are printed. */
  readonly sortedNames: readonly string[];
  /** For each printed label, its position among the arguments of `labels()`. */
  readonly #order: readonly number[];
  /** By the key that `keyOf` makes of the values. */
  readonly #handles = new Map<string, Handle>();
  #series: Series<Handle>[] = [];
  #sorted = true;

  constructor(options: MetricOptions<Labels>, create: () => Handle) {
    this.name = options.name;
    this.#options = options;
    this.#create = create;
    this.#order = options.labels.map((_, i) => i).sort((a, b) => compareUtf8(this.#label(a), this.#label(b)));
    this.sortedNames = this.#order.map((i) => this.#label(i));
    // As in the reference: a metric without labels is printed from the start, one with labels after its first use.
    if (options.labels.length === 0) this.#insert('', []);
  }

  get help(): string {
    return this.#options.help;
  }

  /** The number of series, including the overflow one. */
  get size(): number {
    return this.#series.length;
  }

  /**
   * Returns the handle of one label set. The lookup joins the values, so callers on the request path keep the handle.
   */
  labels(...values: LabelValues<Labels>): Handle {
    return this.#find(values as unknown as readonly string[], false);
  }

  /** Removes all series. Handles that callers have kept are no longer printed. */
  clear(): void {
    this.#handles.clear();
    this.#series = [];
    this.#sorted = true;
  }

  /** Returns the series, sorted by their label values. */
  sorted(): readonly Series<Handle>[] {
    if (!this.#sorted) this.#series.sort((a, b) => compareValues(a.values, b.values));
    this.#sorted = true;
    return this.#series;
  }

  #find(values: readonly string[], unbounded: boolean): Handle {
    const { length } = this.#options.labels;
    if (values.length !== length) throw new BugError(`${this.name} has ${length} labels, not ${values.length}`);
    const key = keyOf(values);
    const found = this.#handles.get(key);
    if (found !== undefined) return found;
    return !unbounded && this.#full() ? this.#overflow() : this.#insert(key, values);
  }

  #insert(key: string, given: readonly string[]): Handle {
    const values = this.#order.map((i) => given[i] as string);
    const handle = this.#create();
    this.#handles.set(key, handle);
    this.#series.push(new Series(values, handle));
    this.#sorted = false;
    return handle;
  }

  #full(): boolean {
    return this.#series.length >= (this.#options.maxSeries ?? DEFAULT_MAX_SERIES);
  }

  #overflow(): Handle {
    return this.#find(
      this.#options.labels.map(() => OVERFLOW),
      true,
    );
  }

  #label(index: number): string {
    return this.#options.labels[index] as string;
  }
}

/** Each value is preceded by its length, so that no two lists of values have the same key. */
function keyOf(values: readonly string[]): string {
  let key = '';
  for (const value of values) key += `${value.length} ${value}`;
  return key;
}

export type CounterFamily<Labels extends readonly string[]> = Family<Counter, Labels>;
export type GaugeFamily<Labels extends readonly string[]> = Family<Gauge, Labels>;
export type HistogramFamily<Labels extends readonly string[]> = Family<Histogram, Labels>;

/**
 * All metrics of one server or controller. `counter`, `gauge` and `histogram` register a metric; they throw BugError
 * for a malformed or used name, a malformed or repeated label, an empty help text or invalid buckets.
 */
export class MetricRegistry {
  readonly #printers = new Map<string, () => string>();
  readonly #names = new Set<string>();
  readonly #collectors: (() => void)[] = [];

  counter<const Labels extends readonly string[]>(options: MetricOptions<Labels>): CounterFamily<Labels> {
    const family = new Family<Counter, Labels>(options, () => new Counter());
    this.#register(options, [''], () => printValues('counter', family));
    return family;
  }

  gauge<const Labels extends readonly string[]>(options: MetricOptions<Labels>): GaugeFamily<Labels> {
    const family = new Family<Gauge, Labels>(options, () => new Gauge());
    this.#register(options, [''], () => printValues('gauge', family));
    return family;
  }

  histogram<const Labels extends readonly string[]>(options: HistogramOptions<Labels>): HistogramFamily<Labels> {
    const bounds = checkedBuckets(options);
    const bucketTexts = [...bounds, Number.POSITIVE_INFINITY].map((bound) => `le="${formatValue(bound)}"} `);
    const bounded = { ...options, maxSeries: options.maxSeries ?? DEFAULT_MAX_HISTOGRAMS };
    const family = new Family<Histogram, Labels>(bounded, () => new Histogram(bounds));
    this.#register(options, ['', '_bucket', '_sum', '_count'], () => printHistograms(family, bucketTexts));
    return family;
  }

  /** Adds a callback that runs before each print, for gauges that are cheaper to compute than to keep up to date. */
  onCollect(collect: () => void): void {
    this.#collectors.push(collect);
  }

  /** Returns the text of `/metrics`: metrics sorted by name, series by labels. The same state prints the same text. */
  print(): string {
    for (const collect of this.#collectors) collect();
    return [...this.#printers.keys()]
      .sort(compareUtf8)
      .map((name) => this.#printers.get(name)?.() ?? '')
      .join('');
  }

  #register(options: MetricOptions<readonly string[]>, suffixes: readonly string[], print: () => string): void {
    const { name, help, labels } = options;
    if (!METRIC_NAME.test(name)) throw new BugError(`${JSON.stringify(name)} is not a name of a metric`);
    if (help === '') throw new BugError(`the metric ${name} has no help text`);
    for (const [i, label] of labels.entries()) {
      const reserved = label.startsWith('__') || (label === 'le' && suffixes.length > 1);
      if (reserved || !LABEL_NAME.test(label))
        throw new BugError(`${JSON.stringify(label)} is not a label name for ${name}`);
      if (labels.indexOf(label) !== i) throw new BugError(`the metric ${name} has the label ${label} twice`);
    }
    for (const suffix of suffixes)
      if (this.#names.has(name + suffix)) throw new BugError(`the metric ${name}${suffix} is registered already`);
    for (const suffix of suffixes) this.#names.add(name + suffix);
    this.#printers.set(name, print);
  }
}

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

function checkedBuckets({ name, buckets }: HistogramOptions<readonly string[]>): readonly number[] {
  const growing = buckets.every(
    (bound, i) => Number.isFinite(bound) && (i === 0 || bound > (buckets[i - 1] as number)),
  );
  if (buckets.length === 0 || !growing) throw new BugError(`the buckets of ${name} must be finite and grow`);
  return [...buckets];
}

function printValues(type: string, family: Family<Counter | Gauge>): string {
  if (family.size === 0) return '';
  let text = formatHeader(family.name, family.help, type);
  for (const series of family.sorted())
    text += `${family.name}${inBraces(series.text(family.sortedNames))} ${formatValue(series.handle.value)}\n`;
  return text;
}

function printHistograms(family: Family<Histogram>, bucketTexts: readonly string[]): string {
  if (family.size === 0) return '';
  const { name } = family;
  let text = formatHeader(name, family.help, 'histogram');
  for (const series of family.sorted()) {
    const { handle } = series;
    const labels = series.text(family.sortedNames);
    const counts = handle.cumulated();
    const start = labels === '' ? `${name}_bucket{` : `${name}_bucket{${labels},`;
    for (let i = 0; i < counts.length; i++) text += `${start}${bucketTexts[i]}${counts[i]}\n`;
    const end = inBraces(labels);
    text += `${name}_sum${end} ${formatValue(handle.sum)}\n${name}_count${end} ${counts[counts.length - 1]}\n`;
  }
  return text;
}

function inBraces(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}

function compareValues(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < a.length; i++) {
    const order = compareUtf8(a[i] as string, b[i] as string);
    if (order !== 0) return order;
  }
  return 0;
}
