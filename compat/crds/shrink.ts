/**
 * The minimisation of a request about which the two servers differ. Invariants: the result still differs; the number of
 * tries is bounded.
 */
import type { Json } from '../diff/normalise.ts';
import { getAt, isDict, type JsonDict, parseField, type Schema, type Step, schemaOf, withAt } from './schema.ts';

const MAX_TRIES = 80;
const SHOWN_SCHEMA = 1500;

/** Returns the smallest object found. Whole subtrees are tried first. */
export async function shrink(
  object: JsonDict,
  differs: (object: JsonDict) => Promise<boolean>,
  maxTries: number = MAX_TRIES,
): Promise<JsonDict> {
  let current = object;
  let tries = 0;
  for (let changed = true; changed && tries < maxTries; ) {
    changed = false;
    for (const path of removablePaths(current)) {
      if (tries >= maxTries) break;
      if (getAt(current, path) === undefined) continue;
      const smaller = withAt(current, path, undefined) as JsonDict;
      tries++;
      if (await differs(smaller)) {
        current = smaller;
        changed = true;
      }
    }
  }
  return current;
}

/** From the root down, with the items of a list from its end. */
function removablePaths(object: JsonDict): Step[][] {
  const paths: Step[][] = [];
  let level: { path: Step[]; value: Json }[] = [{ path: [], value: object }];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { path, value } of level) {
      const steps: Step[] = Array.isArray(value)
        ? value.map((_, i) => i).reverse()
        : isDict(value)
          ? Object.keys(value)
          : [];
      for (const step of steps) {
        const inner = [...path, step];
        const dotted = inner.join('.');
        if (!['apiVersion', 'kind', 'metadata', 'metadata.name'].includes(dotted)) paths.push(inner);
        next.push({ path: inner, value: getAt(object, inner) as Json });
      }
    }
    level = next;
  }
  return paths;
}

/** Returns the part of the schema at the fields of the difference, without descriptions. */
export function schemaPart(schema: Schema, fields: readonly string[]): string {
  for (const field of fields) {
    for (let path = parseField(field); path.length > 0; path = path.slice(0, -1)) {
      const part = path.reduce<Schema | undefined>(schemaOf, schema);
      if (part === undefined) continue;
      const text = JSON.stringify(part, (key, value: unknown) =>
        key === 'description' && typeof value === 'string' ? undefined : value,
      );
      return `${path.join('.')}: ${text.length > SHOWN_SCHEMA ? `${text.slice(0, SHOWN_SCHEMA)}…` : text}`;
    }
  }
  return '';
}
