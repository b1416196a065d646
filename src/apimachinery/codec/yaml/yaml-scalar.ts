/**
 * The resolution of YAML scalars by Kubernetes' decoder (goyaml v2: YAML 1.1 without base 60). Invariant: the reader
 * and the writer both use `resolveScalar`, so a string that would be read as another type is always quoted.
 */

export const YAML_TAG = {
  str: 'tag:yaml.org,2002:str',
  bool: 'tag:yaml.org,2002:bool',
  int: 'tag:yaml.org,2002:int',
  float: 'tag:yaml.org,2002:float',
  null: 'tag:yaml.org,2002:null',
  timestamp: 'tag:yaml.org,2002:timestamp',
  binary: 'tag:yaml.org,2002:binary',
  merge: 'tag:yaml.org,2002:merge',
} as const;

/** `int` covers Go's int and uint64. The whole range is exact. */
export type YamlScalar =
  | { readonly type: 'null' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int'; readonly value: bigint }
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'timestamp' }
  | { readonly type: 'str' };

const STR: YamlScalar = { type: 'str' };
const NULL: YamlScalar = { type: 'null' };
const TIMESTAMP: YamlScalar = { type: 'timestamp' };

function words(type: YamlScalar, ...list: string[]): [string, YamlScalar][] {
  return list.map((word) => [word, type]);
}

const WORDS: ReadonlyMap<string, YamlScalar> = new Map([
  ...words({ type: 'bool', value: true }, 'y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'),
  ...words({ type: 'bool', value: false }, 'n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'),
  ...words(NULL, '', '~', 'null', 'Null', 'NULL'),
  ...words({ type: 'float', value: Number.NaN }, '.nan', '.NaN', '.NAN'),
  ...words({ type: 'float', value: Number.POSITIVE_INFINITY }, '.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'),
  ...words({ type: 'float', value: Number.NEGATIVE_INFINITY }, '-.inf', '-.Inf', '-.INF'),
]);

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;
const INTEGER = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
/** Go reads the digits after `0b` as a signed number. */
const SIGNED_BINARY = /^0b([-+])([01]+)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const DOT_FLOAT = /^\.[0-9]+(?:[eE][-+]?[0-9]+)?$/;
/** A longer text is not a 64-bit integer in any base: 64 binary digits, a sign, a prefix and some leading zeros. */
const MAX_INTEGER_LENGTH = 128;

/**
 * Resolves a plain scalar in linear time. `tag` is the long form of an explicit tag, or ''. Dates are recognised only
 * without a tag or with `!!timestamp`; with `!!str` the result is always a string.
 */
export function resolveScalar(text: string, tag = ''): YamlScalar {
  if (tag === YAML_TAG.str) return STR;
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  const c = text.charCodeAt(0);
  const isDot = c === 0x2e;
  if (!isDot && c !== 0x2b && c !== 0x2d && !(c >= 0x30 && c <= 0x39)) return STR;
  if (isDot) return DOT_FLOAT.test(text) ? floatOf(text) : STR;
  if ((tag === '' || tag === YAML_TAG.timestamp) && isTimestamp(text)) return TIMESTAMP;
  const plain = text.includes('_') ? text.replaceAll('_', '') : text;
  const integer = integerOf(plain);
  if (integer !== undefined) return { type: 'int', value: integer };
  if (FLOAT.test(plain)) return floatOf(plain);
  const binary = SIGNED_BINARY.exec(plain);
  if (binary !== null) {
    const value = integerOf(`${binary[1] === '-' ? '-' : ''}0b${binary[2]}`);
    if (value !== undefined && value <= MAX_INT64) return { type: 'int', value };
  }
  return STR;
}

/** A float that overflows stays a string. */
function floatOf(text: string): YamlScalar {
  const value = Number(text);
  return Number.isFinite(value) ? { type: 'float', value } : STR;
}

function integerOf(text: string): bigint | undefined {
  if (text.length > MAX_INTEGER_LENGTH) return undefined;
  const match = INTEGER.exec(text);
  if (match === null) return undefined;
  const [, sign, hexadecimal, binary, octal, decimal] = match;
  const literal =
    hexadecimal !== undefined
      ? `0x${hexadecimal}`
      : binary !== undefined
        ? `0b${binary}`
        : octal !== undefined
          ? `0o${octal}`
          : (decimal as string);
  const magnitude = BigInt(literal);
  const value = sign === '-' ? -magnitude : magnitude;
  // Go parses unsigned 64-bit numbers without a sign only.
  return value >= MIN_INT64 && value <= (sign === '' ? MAX_UINT64 : MAX_INT64) ? value : undefined;
}

const DATE =
  /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:([Tt ])([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]{1,9})?(.*))?$/;
const ZONE = /^(?:Z|[-+]([0-9]{2}):([0-9]{2}))$/;

/** The date forms of goyaml: a date alone, RFC 3339 with short fields, or a time after one space without a zone. */
function isTimestamp(text: string): boolean {
  const match = text.length > 64 ? null : DATE.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return false;
  if (match[4] === undefined) return true;
  if (Number(match[5]) > 23 || Number(match[6]) > 59 || Number(match[7]) > 59) return false;
  const zone = match[8] as string;
  if (match[4] === ' ') return zone === '';
  const offset = ZONE.exec(zone);
  return offset !== null && Number(offset[1] ?? 0) <= 24 && Number(offset[2] ?? 0) <= 60;
}

function daysIn(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] as number;
}
