/**
 * Validation of cron schedules: five fields, or a descriptor such as `@hourly`. Messages are those of robfig/cron, the
 * parser that kube-apiserver uses.
 */
import { parseDuration } from '../../../apimachinery/scalars/duration.ts';
import { parseGoInt } from '../../../apimachinery/scalars/go-number.ts';
import { timeZoneProblem } from './time-zone.ts';

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Names of values; the first one names `min`. */
  readonly names: readonly string[];
}

const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  {
    min: 1,
    max: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

const DESCRIPTORS: ReadonlySet<string> = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);
const EVERY = '@every ';

/** Returns the parse error of a schedule, or undefined. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule === '') return 'empty spec string';
  let spec = schedule;
  if (/^(CRON_)?TZ=/.test(spec)) {
    const space = spec.indexOf(' ');
    // robfig/cron panics on a time zone without a schedule; kube-apiserver returns the panic as the message.
    if (space < 0) return 'invalid schedule format: runtime error: slice bounds out of range [:-1]';
    const zone = spec.slice(spec.indexOf('=') + 1, space);
    const problem = timeZoneProblem(zone);
    if (problem !== undefined) return `provided bad location ${zone}: ${problem}`;
    spec = spec.slice(space).trim();
  }
  if (spec.startsWith('@')) return descriptorProblem(spec);
  const fields = spec.split(/\s+/u).filter((field) => field !== '');
  if (fields.length !== FIELDS.length)
    return `expected exactly ${FIELDS.length} fields, found ${fields.length}: [${fields.join(' ')}]`;
  for (const [i, field] of fields.entries()) {
    const problem = fieldProblem(field, FIELDS[i] as Bounds);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function descriptorProblem(descriptor: string): string | undefined {
  if (DESCRIPTORS.has(descriptor)) return undefined;
  if (!descriptor.startsWith(EVERY)) return `unrecognized descriptor: ${descriptor}`;
  const parsed = parseDuration(descriptor.slice(EVERY.length));
  return parsed.ok ? undefined : `failed to parse duration ${descriptor}: ${parsed.message}`;
}

function fieldProblem(field: string, bounds: Bounds): string | undefined {
  for (const range of field.split(',')) {
    const problem = range === '' ? undefined : rangeProblem(range, bounds);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function rangeProblem(text: string, bounds: Bounds): string | undefined {
  const [range = '', step, ...moreSteps] = text.split('/');
  const [low = '', high, ...moreBounds] = range.split('-');
  let start: bigint = BigInt(bounds.min);
  let end: bigint = BigInt(bounds.max);
  if (low !== '*' && low !== '?') {
    const first = parseValue(low, bounds);
    if (typeof first === 'string') return first;
    if (moreBounds.length > 0) return `too many hyphens: ${text}`;
    const last = high === undefined ? first : parseValue(high, bounds);
    if (typeof last === 'string') return last;
    start = first;
    end = last;
  }
  if (moreSteps.length > 0) return `too many slashes: ${text}`;
  let every: bigint | string = 1n;
  if (step !== undefined) {
    every = parseNumber(step);
    if (typeof every === 'string') return every;
    if (high === undefined) end = BigInt(bounds.max);
  }
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${text}`;
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return every === 0n ? `step of range should be a positive number: ${text}` : undefined;
}

/** Returns the value, or a message if the text is not a valid value. */
function parseValue(text: string, { names, min }: Bounds): bigint | string {
  const named = names.indexOf(text.toLowerCase());
  return named < 0 ? parseNumber(text) : BigInt(min + named);
}

function parseNumber(text: string): bigint | string {
  const parsed = parseGoInt(text, 'Atoi');
  if (!parsed.ok) return `failed to parse int from ${text}: ${parsed.message}`;
  const value = BigInt(parsed.value);
  return value < 0n ? `negative number (${value}) not allowed: ${text}` : value;
}
