/** The operator `in`, `size`, and the functions of strings. */

import type { FunctionDeclaration } from '../../library.ts';
import { isSameValue } from '../../runtime/equality.ts';
import { cachedPattern, checkMatching } from '../../runtime/patterns.ts';
import { codePoints, sizeForCost, traversalCost } from '../../runtime/sizes.ts';
import { BOOL, BYTES, INT, listOf, mapOf, paramType, STRING } from '../../types.ts';
import { CelError, type CelList, type CelMap, CelObject, type Value } from '../../values.ts';
import { declare, member, overload } from '../declare.ts';

const A = paramType('A');
const B = paramType('B');
const LIST = listOf(A);
const MAP = mapOf(A, B);

function isInList(value: Value, list: Value): boolean {
  const items = list as CelList;
  for (let index = 0; index < items.size; index++) if (isSameValue(value, items.at(index))) return true;
  return false;
}

function isInMap(key: Value, map: Value): boolean {
  if (map instanceof CelObject) return typeof key === 'string' && map.get(key) !== undefined;
  return (map as CelMap).get(key) !== undefined;
}

function bytesSize(value: Value): Value {
  return (value as Uint8Array).length;
}

function containerSize(value: Value): Value {
  return (value as CelList | CelMap).size;
}

function stringSize(value: Value): Value {
  return codePoints(value as string);
}

function matches(text: Value, pattern: Value): Value {
  const compiled = cachedPattern(pattern as string);
  if (!compiled.ok) throw new CelError(compiled.message);
  checkMatching(compiled.regexp, text as string);
  return compiled.regexp.test(text as string);
}

function firstTraversed(args: readonly Value[]): number {
  return traversalCost(sizeForCost(args[0] as Value));
}

/** The cost of a search at every position of the text. */
function containsCost(args: readonly Value[]): number {
  return firstTraversed(args) * traversalCost(sizeForCost(args[1] as Value));
}

/** The cost of trying every part of the pattern at every position. cel-go assumes parts of four characters. */
function matchesCost(args: readonly Value[]): number {
  const text = traversalCost(1 + sizeForCost(args[0] as Value));
  return text * Math.ceil(sizeForCost(args[1] as Value) * 0.25);
}

export const COLLECTIONS: readonly FunctionDeclaration[] = [
  declare(
    '@in',
    overload('in_list', [A, LIST], BOOL, (a, b) => isInList(a as Value, b as Value), {
      runtimeCost: (args) => sizeForCost(args[1] as Value),
    }),
    overload('in_map', [A, MAP], BOOL, (a, b) => isInMap(a as Value, b as Value)),
  ),
  declare(
    'size',
    overload('size_bytes', [BYTES], INT, (value) => bytesSize(value as Value)),
    member('bytes_size', [BYTES], INT, (value) => bytesSize(value as Value)),
    overload('size_list', [LIST], INT, (value) => containerSize(value as Value)),
    member('list_size', [LIST], INT, (value) => containerSize(value as Value)),
    overload('size_map', [MAP], INT, (value) => containerSize(value as Value)),
    member('map_size', [MAP], INT, (value) => containerSize(value as Value)),
    overload('size_string', [STRING], INT, (value) => stringSize(value as Value)),
    member('string_size', [STRING], INT, (value) => stringSize(value as Value)),
  ),
  declare(
    'contains',
    member('contains_string', [STRING, STRING], BOOL, (a, b) => (a as string).includes(b as string), {
      runtimeCost: containsCost,
    }),
  ),
  declare(
    'endsWith',
    member('ends_with_string', [STRING, STRING], BOOL, (a, b) => (a as string).endsWith(b as string), {
      runtimeCost: firstTraversed,
    }),
  ),
  declare(
    'startsWith',
    member('starts_with_string', [STRING, STRING], BOOL, (a, b) => (a as string).startsWith(b as string), {
      runtimeCost: firstTraversed,
    }),
  ),
  declare(
    'matches',
    overload('matches', [STRING, STRING], BOOL, (a, b) => matches(a as Value, b as Value)),
    member('matches_string', [STRING, STRING], BOOL, (a, b) => matches(a as Value, b as Value), {
      runtimeCost: matchesCost,
    }),
  ),
];
