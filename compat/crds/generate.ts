/**
 * The generator of objects from a structural schema, and their repair by the causes that the reference reports.
 * Invariants: the same seed gives the same object; sizes are bounded, whatever the schema allows.
 */
import type { Random } from '../../test/fuzz/random.ts';
import type { Json } from '../diff/normalise.ts';
import { matching } from './pattern.ts';
import { getAt, isDict, type JsonDict, parseField, type Schema, schemaOf, withAt } from './schema.ts';

const MAX_NODES = 220;
const MAX_DEPTH = 12;

export const FORMATS: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['2024-02-29T12:00:00Z', '1999-12-31T23:59:59+01:00', '2030-01-01T00:00:00.5Z'],
  datetime: ['2024-02-29T12:00:00Z'],
  date: ['2024-02-29'],
  duration: ['1h', '90s', '1h2m3.5s', '3 days'],
  byte: ['aGVsbG8=', ''],
  uuid: ['3e3b4c1e-9d2b-4c68-8a8e-0c6f1f0a7f11'],
  ipv4: ['10.1.2.3'],
  ipv6: ['fd00::1', '::'],
  ip: ['10.1.2.3', '2001:db8::1'],
  cidr: ['10.0.0.0/8', 'fd00::/8'],
  mac: ['00:1b:44:11:3a:b7'],
  email: ['someone@example.com'],
  hostname: ['example.com'],
  uri: ['https://example.com/a?b=c'],
  'k8s-short-name': ['abc-1'],
  'k8s-long-name': ['a.b-c.d'],
};

const WORDS = ['alpha', 'web', 'example.com', 'a-b', 'v1', 'config', 'x', 'default', '1', 'Name'];

export interface GenerateOptions {
  readonly random: Random;
  /** The probability of an optional field at the root, 0 to 1. Deeper fields are less likely. */
  readonly density: number;
}

/** Returns an object of the version's schema. `head` has its apiVersion, kind and metadata. */
export function generateObject(schema: Schema, head: JsonDict, options: GenerateOptions): JsonDict {
  const made = new Maker(options).value(schema, 0);
  const body = isDict(made) ? made : {};
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest } = body;
  return { ...head, ...rest };
}

/** Returns a value for a field that a mutator adds. */
export function generateValue(schema: Schema, random: Random): Json {
  return new Maker({ random, density: 0.2 }).value(schema, 3);
}

class Maker {
  readonly #random: Random;
  readonly #density: number;
  #left = MAX_NODES;

  constructor({ random, density }: GenerateOptions) {
    this.#random = random;
    this.#density = density;
  }

  value(schema: Schema, depth: number): Json {
    this.#left--;
    const random = this.#random;
    if (schema.nullable === true && random.int(12) === 0) return null;
    if (schema.enum !== undefined && schema.enum.length > 0) return random.pick(schema.enum);
    if (schema['x-kubernetes-int-or-string'] === true)
      return schema.pattern === undefined
        ? random.pick<Json>([80, 'http', '25%', 0])
        : random.int(2) === 0
          ? 1
          : random.pick(['100m', '1Gi', '2']);
    switch (schema.type) {
      case 'string':
        return this.#string(schema);
      case 'boolean':
        return random.int(2) === 0;
      case 'integer':
        return this.#number(schema, true);
      case 'number':
        return this.#number(schema, false);
      case 'array':
        return this.#list(schema, depth);
      case 'object':
        return this.#object(schema, depth);
      default:
        return random.pick<Json>([{ any: 'thing' }, 'text', 3]);
    }
  }

  #string(schema: Schema): string {
    const random = this.#random;
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema;
    let text =
      pattern !== undefined
        ? matching(pattern, random, minLength)
        : format !== undefined && format in FORMATS
          ? random.pick(FORMATS[format] as readonly string[])
          : random.pick(WORDS);
    if (pattern === undefined) while (text.length < minLength && text.length < 10_000) text += text === '' ? 'a' : text;
    return text.length > maxLength ? text.slice(0, maxLength) : text;
  }

  #number(schema: Schema, whole: boolean): number {
    const random = this.#random;
    const low = schema.minimum ?? Math.min(0, schema.maximum ?? 0);
    const high = schema.maximum ?? low + 100;
    const from = schema.exclusiveMinimum === true ? low + 1 : low;
    const to = schema.exclusiveMaximum === true ? high - 1 : high;
    const picked = random.pick([from, to, from + random.int(Math.max(1, Math.min(1000, to - from)))]);
    const step = schema.multipleOf;
    if (step !== undefined && step > 0) return Math.ceil(picked / step) * step;
    return whole ? Math.trunc(picked) : random.int(3) === 0 && picked + 0.5 <= to ? picked + 0.5 : picked;
  }

  #list(schema: Schema, depth: number): Json[] {
    const { items, minItems = 0, maxItems = 3 } = schema;
    const room = this.#left > 0 && depth < MAX_DEPTH ? Math.max(0, Math.min(maxItems, minItems + 2) - minItems) : 0;
    const count = Math.min(minItems + this.#random.int(room + 1), 60);
    if (items === undefined) return [];
    const list: Json[] = [];
    const seen = new Set<string>();
    const unique = schema['x-kubernetes-list-type'] === 'set' || schema['x-kubernetes-list-type'] === 'map';
    for (let tries = 0; list.length < count && tries < count * 6; tries++) {
      const item = this.value(items, depth + 1);
      const key = identity(item, schema);
      if (unique && seen.has(key)) continue;
      seen.add(key);
      list.push(item);
    }
    return list;
  }

  #object(schema: Schema, depth: number): JsonDict {
    const random = this.#random;
    const result: JsonDict = {};
    if (schema['x-kubernetes-embedded-resource'] === true)
      Object.assign(result, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'embedded' } });
    const required = new Set(schema.required);
    const branch = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
    if (branch.length > 0) for (const name of random.pick(branch).required ?? []) required.add(name);
    // In real unions one of many fields is set, so sometimes only one optional field is.
    const names = Object.keys(schema.properties ?? {});
    const chance = this.#density * 0.85 ** depth;
    for (const name of names) {
      const child = schema.properties?.[name] as Schema;
      if (depth === 0 && (name === 'apiVersion' || name === 'kind' || name === 'metadata')) continue;
      const wanted = required.has(name) || (this.#left > 0 && depth < MAX_DEPTH && random.next() < chance);
      if (wanted || (depth === 0 && name === 'spec')) result[name] = this.value(child, depth + 1);
    }
    const { additionalProperties, minProperties = 0 } = schema;
    if (typeof additionalProperties === 'object') {
      const count = Math.max(minProperties, this.#left > 0 ? random.int(3) : 0);
      for (let i = 0; i < count; i++) result[`key-${i}`] = this.value(additionalProperties, depth + 1);
    }
    for (const name of names) {
      if (Object.keys(result).length >= minProperties) break;
      result[name] ??= this.value(schema.properties?.[name] as Schema, depth + 1);
    }
    return result;
  }
}

/** Returns what must differ between the items of a set or a map list. */
export function identity(item: Json, list: Schema): string {
  const keys = list['x-kubernetes-list-map-keys'];
  if (keys === undefined || !isDict(item)) return JSON.stringify(item);
  return JSON.stringify(keys.map((key) => item[key] ?? list.items?.properties?.[key]?.default ?? null));
}

export interface Complaint {
  readonly reason: string;
  readonly field: string;
}

/**
 * Returns the object with the reported fields removed, or generated again if they are required. Several rounds make a
 * valid object of most schemas.
 */
export function repair(object: JsonDict, schema: Schema, complaints: readonly Complaint[], random: Random): JsonDict {
  let result: Json = object;
  // From the last to the first, so that removed items do not move those that follow.
  for (const { reason, field } of [...complaints].reverse()) {
    const path = parseField(field);
    if (path.length === 0 || path[0] === 'metadata' || field.startsWith('<')) continue;
    const parentPath = path.slice(0, -1);
    const parent = path.slice(0, -1).reduce<Schema | undefined>(schemaOf, schema);
    const last = path.at(-1) as string | number;
    const own = schemaOf(parent, last);
    const present = getAt(result, path) !== undefined;
    const required = typeof last === 'string' && parent?.required?.includes(last) === true;
    if (reason === 'FieldValueRequired' && !present) {
      if (getAt(result, parentPath) !== undefined && own !== undefined)
        result = withAt(result, path, generateValue(own, random));
      continue;
    }
    if (!present) continue;
    if (required || (path.length === 1 && last === 'spec')) {
      if (own !== undefined)
        result = withAt(result, path, new Maker({ random, density: random.pick([0.05, 0.3, 0.6]) }).value(own, 1));
    } else result = withAt(result, path, undefined);
  }
  return result as JsonDict;
}
