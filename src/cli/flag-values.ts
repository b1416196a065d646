/**
 * The values of a flag, parsed as pflag does. Invariant: a value that kube-apiserver refuses is a ConfigError that
 * names the flag.
 */
import { parseDuration } from '../apimachinery/scalars/duration.ts';
import { ConfigError } from '../base/errors.ts';
import { canonicalIp } from '../pki/ip.ts';

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);
const NANOSECONDS_PER_MS = 1_000_000n;

/**
 * A flag of the command line with all its values, in order; at least one. Every method but `array` and `list` reads the
 * last value. A method throws ConfigError for a value that is not of its type.
 */
export class FlagValues {
  readonly name: string;
  readonly #values: readonly string[];

  constructor(name: string, values: readonly string[]) {
    this.name = name;
    this.#values = values;
  }

  /** Returns the last value. */
  text(): string {
    return this.#values.at(-1) as string;
  }

  /** Returns the last value. Throws ConfigError if it is empty. */
  path(): string {
    if (this.text() === '') throw this.refuse('is not a path');
    return this.text();
  }

  /** Returns each value unchanged: pflag's `stringArray`. */
  array(): readonly string[] {
    return this.#values;
  }

  /**
   * Returns the comma-separated items of all values: pflag's `strings`. A value that contains quotes is one line of
   * CSV. An empty value has no items.
   */
  list(): readonly string[] {
    return this.#values.flatMap((value) => (value === '' ? [] : this.#csv(value)));
  }

  bool(): boolean {
    const value = this.text();
    if (TRUE.has(value)) return true;
    if (FALSE.has(value)) return false;
    throw this.refuse('is neither true nor false');
  }

  int(least: number = Number.MIN_SAFE_INTEGER, most: number = Number.MAX_SAFE_INTEGER): number {
    const value = Number(this.text());
    if (!/^[+-]?\d+$/.test(this.text()) || !Number.isSafeInteger(value)) throw this.refuse('is not an integer');
    if (value < least || value > most)
      throw this.refuse(most === Number.MAX_SAFE_INTEGER ? `is below ${least}` : `is not between ${least} and ${most}`);
    return value;
  }

  number(): number {
    const value = Number(this.text());
    if (this.text().trim() === '' || !Number.isFinite(value)) throw this.refuse('is not a number');
    return value;
  }

  /**
   * Returns a duration such as `5m`, `1h30m` or `300ms` in milliseconds. Throws ConfigError for a negative duration.
   */
  milliseconds(): number {
    const parsed = parseDuration(this.text());
    if (!parsed.ok) throw this.refuse('is not a duration such as 30s, 5m or 1h30m');
    if (parsed.value < 0n) throw this.refuse('is negative');
    return Number(parsed.value / NANOSECONDS_PER_MS);
  }

  ip(): string {
    const ip = canonicalIp(this.text());
    if (ip === undefined) throw this.refuse('is not an IP address');
    return ip;
  }

  choice<Choice extends string>(choices: readonly Choice[]): Choice {
    const found = choices.find((choice) => choice === this.text());
    if (found === undefined) throw this.refuse(`is not one of ${choices.join(', ')}`);
    return found;
  }

  /** Returns the error about the last value, for the caller to throw. `why` is a predicate: `is not a path`. */
  refuse(why: string): ConfigError {
    return new ConfigError(`--${this.name}: ${JSON.stringify(this.text())} ${why}`);
  }

  #csv(line: string): string[] {
    if (!line.includes('"')) return line.split(',');
    const fields: string[] = [];
    const field = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
    while (field.lastIndex < line.length || line[field.lastIndex - 1] === ',') {
      const match = field.exec(line);
      if (match === null) throw this.refuse('has an unclosed quote');
      fields.push(match[1] === undefined ? (match[2] as string) : match[1].replaceAll('""', '"'));
      if (match[3] === '') break;
    }
    return fields;
  }
}
