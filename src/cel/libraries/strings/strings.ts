/** The library `cel.lib.ext.strings`: functions of strings. Indices count code points, not UTF-16 units. */

import type { FunctionDeclaration, Library } from '../../library.ts';
import { formatPlain } from '../../runtime/format-value.ts';
import { itemsOf, NativeList } from '../../runtime/native-values.ts';
import { codePoints } from '../../runtime/sizes.ts';
import { DYN, INT, listOf, STRING } from '../../types.ts';
import { CelError, type CelInt, type CelList, type Value } from '../../values.ts';
import { checkItemCount, checkTextLength } from '../call-limits.ts';
import { ONE_WALK, ONE_WALK_SAME_SIZE } from '../costs.ts';
import { declare, member, overload } from '../declare.ts';
import { TRAVERSAL } from '../lists.ts';
import { JOIN_COSTS, REPLACE_COSTS, SPLIT_COSTS } from './strings-costs.ts';
import { type Clauses, formatText } from './strings-format.ts';
import { validateFormatCalls } from './strings-format-check.ts';
import { US_CLAUSES } from './strings-format-us.ts';

function outOfRange(index: CelInt): CelError {
  return new CelError(`index out of range: ${index}`);
}

/** True if every code point is one UTF-16 unit, so that indices of units may be used. */
function isFlat(text: string): boolean {
  return codePoints(text) === text.length;
}

/** The substring between two indices of code points. */
function slice(text: string, from: number, to: number): string {
  return isFlat(text) ? text.slice(from, to) : [...text].slice(from, to).join('');
}

function charAt(text: Value, index: Value): string {
  const at = index as CelInt;
  if (at < 0 || at > codePoints(text as string)) throw outOfRange(at);
  return slice(text as string, Number(at), Number(at) + 1);
}

function indexOf(text: Value, part: Value, offset: Value): Value {
  const [whole, sought, from] = [text as string, part as string, offset as CelInt];
  if (sought === '') return from;
  if (from < 0) throw outOfRange(from);
  if (isFlat(whole)) return from >= whole.length ? -1 : whole.indexOf(sought, Number(from));
  const chars = [...whole];
  if (from >= chars.length) return -1;
  const skipped = chars.slice(0, Number(from)).join('').length;
  const at = whole.indexOf(sought, skipped);
  return at < 0 ? -1 : codePoints(whole.slice(0, at));
}

function lastIndexOf(text: Value, part: Value): Value {
  const [whole, sought] = [text as string, part as string];
  const length = codePoints(whole);
  if (sought === '') return length;
  return whole.length < sought.length ? -1 : lastIndexFrom(whole, sought, length - 1);
}

/** The last occurrence at or before `offset`. An offset after the end finds nothing. */
function lastIndexFrom(text: Value, part: Value, offset: Value): Value {
  const [whole, sought, from] = [text as string, part as string, offset as CelInt];
  if (sought === '') return from;
  if (from < 0) throw outOfRange(from);
  const chars = [...whole];
  if (from >= chars.length) return -1;
  const at = whole.lastIndexOf(sought, chars.slice(0, Number(from)).join('').length);
  return at < 0 ? -1 : codePoints(whole.slice(0, at));
}

function lowerAscii(text: Value): string {
  return (text as string).replace(/[A-Z]+/g, (upper) => upper.toLowerCase());
}

function upperAscii(text: Value): string {
  return (text as string).replace(/[a-z]+/g, (lower) => lower.toUpperCase());
}

/**
 * Replaces at most `limit` occurrences from the left; all if it is negative. An empty text occurs before and after
 * every character.
 */
function replace(text: Value, old: Value, replacement: Value, limit: Value): string {
  const [whole, sought, put] = [text as string, old as string, replacement as string];
  const max = (limit as CelInt) < 0 ? Number.POSITIVE_INFINITY : Number(limit as CelInt);
  checkItemCount(Math.floor(whole.length / Math.max(1, sought.length)));
  const parts = sought === '' ? ['', ...whole, ''] : whole.split(sought);
  const count = Math.min(max, parts.length - 1);
  checkTextLength(whole.length + count * put.length);
  if (count === parts.length - 1) return parts.join(put);
  return parts.slice(0, count + 1).join(put) + sought + parts.slice(count + 1).join(sought);
}

/** Splits into at most `limit` parts, of which the last contains the rest; without a limit if it is negative. */
function split(text: Value, separator: Value, limit: Value): NativeList {
  const [whole, between, max] = [text as string, separator as string, limit as CelInt];
  if (max === 0) return new NativeList([]);
  // Each character may become a part.
  checkItemCount(max < 0 ? whole.length : Math.min(whole.length, Number(max)));
  const parts = between === '' ? [...whole] : whole.split(between);
  if (max < 0 || parts.length <= max) return new NativeList(parts);
  const kept = Number(max) - 1;
  return new NativeList([...parts.slice(0, kept), parts.slice(kept).join(between)]);
}

function substring(text: Value, start: Value): string {
  const length = codePoints(text as string);
  if ((start as CelInt) < 0 || (start as CelInt) > length) throw outOfRange(start as CelInt);
  return slice(text as string, Number(start as CelInt), length);
}

function substringTo(text: Value, start: Value, end: Value): string {
  const [from, to] = [start as CelInt, end as CelInt];
  const length = codePoints(text as string);
  if (from > to) throw new CelError(`invalid substring range. start: ${from}, end: ${to}`);
  if (from < 0 || from > length) throw outOfRange(from);
  if (to < 0 || to > length) throw outOfRange(to);
  return slice(text as string, Number(from), Number(to));
}

/** White space in Unicode. JavaScript's `trim` also removes U+FEFF. */
const SPACE = /[\t-\r \u0085\p{Z}]/u;

function trim(text: Value): string {
  const whole = text as string;
  let [start, end] = [0, whole.length];
  while (start < end && SPACE.test(whole[start] as string)) start++;
  while (end > start && SPACE.test(whole[end - 1] as string)) end--;
  return whole.slice(start, end);
}

function join(list: Value, separator: Value): string {
  const texts: string[] = [];
  let length = 0;
  for (const item of itemsOf(list as CelList)) {
    if (typeof item !== 'string') throw new CelError(`join: invalid input: ${formatPlain(item)}`);
    length += item.length + (separator as string).length;
    texts.push(item);
  }
  checkTextLength(length);
  return texts.join(separator as string);
}

const QUOTED: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(text: Value): string {
  const escaped = (text as string).replace(/[\u0007\b\f\n\r\t\v\\"]/g, (char) => QUOTED[char] as string);
  return `"${escaped}"`;
}

const STRINGS = listOf(STRING);

/** The functions that versions 2 and 4 of the library share: all of version 2 except `format`. */
export const STRING_FUNCTIONS: readonly FunctionDeclaration[] = [
  declare('charAt', member('string_char_at_int', [STRING, INT], STRING, charAt)),
  declare(
    'indexOf',
    member('string_index_of_string', [STRING, STRING], INT, (a, b) => indexOf(a as Value, b as Value, 0), TRAVERSAL),
    member('string_index_of_string_int', [STRING, STRING, INT], INT, indexOf, TRAVERSAL),
  ),
  declare(
    'lastIndexOf',
    member('string_last_index_of_string', [STRING, STRING], INT, lastIndexOf, TRAVERSAL),
    member('string_last_index_of_string_int', [STRING, STRING, INT], INT, lastIndexFrom, TRAVERSAL),
  ),
  declare('lowerAscii', member('string_lower_ascii', [STRING], STRING, lowerAscii, ONE_WALK_SAME_SIZE)),
  declare(
    'replace',
    member(
      'string_replace_string_string',
      [STRING, STRING, STRING],
      STRING,
      (a, b, c) => replace(a as Value, b as Value, c as Value, -1),
      REPLACE_COSTS,
    ),
    member('string_replace_string_string_int', [STRING, STRING, STRING, INT], STRING, replace, REPLACE_COSTS),
  ),
  declare(
    'split',
    member('string_split_string', [STRING, STRING], STRINGS, (a, b) => split(a as Value, b as Value, -1), SPLIT_COSTS),
    member('string_split_string_int', [STRING, STRING, INT], STRINGS, split, SPLIT_COSTS),
  ),
  declare(
    'substring',
    member('string_substring_int', [STRING, INT], STRING, substring, ONE_WALK_SAME_SIZE),
    member('string_substring_int_int', [STRING, INT, INT], STRING, substringTo, ONE_WALK_SAME_SIZE),
  ),
  declare('trim', member('string_trim', [STRING], STRING, trim, ONE_WALK_SAME_SIZE)),
  declare('upperAscii', member('string_upper_ascii', [STRING], STRING, upperAscii, ONE_WALK_SAME_SIZE)),
  declare(
    'join',
    member('list_join', [STRINGS], STRING, (list) => join(list, ''), JOIN_COSTS),
    member('list_join_string', [STRINGS, STRING], STRING, join, JOIN_COSTS),
  ),
  declare(
    'strings.quote',
    overload('strings_quote', [STRING], STRING, quote, {
      runtimeCost: ONE_WALK.runtimeCost as NonNullable<typeof ONE_WALK.runtimeCost>,
    }),
  ),
];

/** The function `format`; the clauses of a version decide how it prints values. */
export function formatFunction(clauses: Clauses): FunctionDeclaration {
  return declare(
    'format',
    member(
      'string_format',
      [STRING, listOf(DYN)],
      STRING,
      (text, args) => formatText(text as string, args as CelList, clauses),
      { runtimeCost: ONE_WALK.runtimeCost as NonNullable<typeof ONE_WALK.runtimeCost> },
    ),
  );
}

/**
 * Version 2, the one in the environments of Kubernetes: it has no `reverse`, and `format` prints numbers in the locale
 * en_US.
 */
export const STRINGS_LIBRARY: Library = {
  name: 'cel.lib.ext.strings',
  functions: [...STRING_FUNCTIONS, formatFunction(US_CLAUSES)],
  validators: [validateFormatCalls],
  mixedLiteralsIn: ['format'],
};
