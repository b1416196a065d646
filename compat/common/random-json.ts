/**
 * Combinators of random JSON values. Names and values are few, so that managers meet on the same fields. The same
 * random generator gives the same value.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import type { Random } from '../../test/fuzz/random.ts';

export type Make = (random: Random) => JsonValue;

export const word: Make = (random) => random.pick(['a', 'b', 'c']);
export const digit: Make = (random) => random.pick([1, 2, 3]);
export const name: Make = (random) => random.pick(['x', 'y', 'z']);
export const flag: Make = (random) => random.int(2) === 0;

export function oneOf(...values: readonly JsonValue[]): Make {
  return (random) => random.pick(values);
}

/** Each field is there with a chance of one half; `!` in front of a name makes it certain. */
export function struct(fields: Readonly<Record<string, Make>>): Make {
  return (random) => {
    const out: JsonObject = {};
    for (const [key, make] of Object.entries(fields)) {
      const isCertain = key.startsWith('!');
      if (isCertain || random.int(2) === 0) out[isCertain ? key.slice(1) : key] = make(random);
    }
    return out;
  };
}

export function map(values: Make, keys: Make = word): Make {
  return (random) => {
    const out: JsonObject = {};
    for (let i = random.int(3); i > 0; i--) out[keys(random) as string] = values(random);
    return out;
  };
}

/** Items with distinct identities. */
export function list(items: Make, identity: (item: JsonValue) => string): Make {
  return (random) => {
    const out: JsonValue[] = [];
    for (let i = random.int(4); i > 0; i--) {
      const item = items(random);
      if (!out.some((other) => identity(other) === identity(item))) out.push(item);
    }
    return out;
  };
}

export function plainList(items: Make): Make {
  return (random) => Array.from({ length: random.int(4) }, () => items(random));
}

/** A list whose items are identified by these keys. A missing key counts as the protocol TCP. */
export function keyed(fields: Readonly<Record<string, Make>>, ...keys: readonly string[]): Make {
  return list(struct(fields), (item) => keys.map((key) => String((item as JsonObject)[key] ?? 'TCP')).join('/'));
}

/** Values of every shape. */
export const anything: Make = (random) =>
  random.pick<Make>([word, digit, map(word), map(map(digit)), plainList(digit), () => null])(random);

/** Repeats an item of one of the lists inside the value, which is changed in place. */
export function repeatItem(random: Random, value: JsonValue): void {
  const lists: JsonValue[][] = [];
  const visit = (node: JsonValue): void => {
    if (Array.isArray(node)) {
      if (node.length > 0) lists.push(node);
      node.forEach(visit);
    } else if (isJsonObject(node)) Object.values(node).forEach(visit);
  };
  visit(value);
  if (lists.length === 0) return;
  const chosen = random.pick(lists);
  chosen.splice(random.int(chosen.length + 1), 0, structuredClone(random.pick(chosen)));
}
