/**
 * The mutation of valid objects to invalid and unusual ones, one change at a time. Invariant: a mutation depends on the
 * object, the schema and the random numbers; the original is not modified.
 */
import type { Random } from '../../test/fuzz/random.ts';
import type { Json } from '../diff/normalise.ts';
import { FORMATS, generateValue } from './generate.ts';
import { isDict, type JsonDict, type Schema, type Step, schemaOf, withAt } from './schema.ts';

export interface Mutation {
  readonly kind: string;
  readonly path: readonly Step[];
  readonly object: JsonDict;
}

/** A place in the object, with its schema. */
interface Site {
  readonly path: readonly Step[];
  readonly schema: Schema;
  readonly value: Json;
  /** Whether the parent schema requires the field. */
  readonly required: boolean;
}

/** Returns a number literal that JSON.stringify cannot write. `bodyText` inserts it. */
export function literal(digits: string): string {
  return `@@literal:${digits}@@`;
}

/** Returns the JSON text of a body with its number literals. */
export function bodyText(body: Json): string {
  return JSON.stringify(body).replace(/"@@literal:([^@]+)@@"/g, '$1');
}

const ODD_TEXTS = ['', ' ', 'UPPER case', '-', 'ä', '\u0000', 'a/b', '..', '1e3', 'null', '\n', '🚢'];
const BAD_FORMATS = [
  '',
  'no',
  '1',
  '2024-13-01',
  '256.1.1.1',
  '10.0.0.0/33',
  'x y',
  '1h1',
  'a@',
  '%%%',
  '2024-02-30T00:00:00Z',
];
const OTHER_TYPES: readonly Json[] = ['text', 1, true, [], {}, ['a'], { a: 1 }, 1.5, '1'];

const DONE = Symbol('nothing to change here');
type Change = (site: Site, random: Random) => Json | undefined | typeof DONE;

/** Each returns the new value of the site; undefined removes it. */
const CHANGES: Readonly<Record<string, Change>> = {
  'wrong type': ({ value }, random) => {
    const other = random.pick(OTHER_TYPES);
    return typeOf(other) === typeOf(value) ? DONE : other;
  },
  'missing required': ({ required }) => (required ? undefined : DONE),
  'field dropped': ({ required, path }) => (required || typeof path.at(-1) === 'number' ? DONE : undefined),
  null: () => null,
  'too long': ({ value, schema }, random) => {
    if (typeof value === 'string' && schema.maxLength !== undefined && schema.maxLength < 5000)
      return random.pick(['a', 'é', '🚢']).repeat(schema.maxLength + 1);
    if (Array.isArray(value) && schema.maxItems !== undefined && schema.maxItems < 200 && value.length > 0)
      return Array.from({ length: schema.maxItems + 1 }, (_, i) => value[i % value.length] as Json);
    return DONE;
  },
  'at the limit': ({ value, schema }, random) =>
    typeof value === 'string' && schema.maxLength !== undefined && schema.maxLength < 5000
      ? random.pick(['a', 'é', '🚢']).repeat(schema.maxLength)
      : DONE,
  'too short': ({ value, schema }) => {
    if (typeof value === 'string' && (schema.minLength ?? 0) > 0) return '';
    if (Array.isArray(value) && (schema.minItems ?? 0) > 0) return [];
    if (isDict(value) && (schema.minProperties ?? 0) > 0) return {};
    return DONE;
  },
  'unknown field': ({ value, schema }, random) =>
    isDict(value) && schema.properties !== undefined
      ? { ...value, [random.pick(['unknownField', 'x', 'Name', 'spec.a', 'metadataX'])]: random.pick(OTHER_TYPES) }
      : DONE,
  'field renamed': ({ value }, random) => {
    if (!isDict(value) || Object.keys(value).length === 0) return DONE;
    const name = random.pick(Object.keys(value));
    const { [name]: moved, ...rest } = value;
    const other = random.pick([name.toUpperCase(), `${name}s`, name[0]?.toUpperCase() + name.slice(1)]);
    return { ...rest, [other]: moved as Json };
  },
  'extra items': ({ value, schema }, random) =>
    Array.isArray(value) && schema.items !== undefined ? [...value, generateValue(schema.items, random)] : DONE,
  'duplicate item': ({ value }, random) =>
    Array.isArray(value) && value.length > 0 ? [...value, structuredClone(random.pick(value))] : DONE,
  'null item': ({ value }) => (Array.isArray(value) ? [...value, null] : DONE),
  'bad enum': ({ schema, value }, random) =>
    schema.enum === undefined ? DONE : random.pick<Json>(['NoSuchValue', '', String(value).toLowerCase(), 7]),
  'bad pattern': ({ schema, value }, random) =>
    schema.pattern !== undefined && typeof value === 'string' ? random.pick([...ODD_TEXTS, `${value}\n`]) : DONE,
  'bad format': ({ schema, value }, random) =>
    schema.format !== undefined && typeof value === 'string' ? random.pick(BAD_FORMATS) : DONE,
  'other format': ({ schema, value }, random) =>
    schema.format !== undefined && typeof value === 'string'
      ? random.pick(FORMATS[random.pick(Object.keys(FORMATS))] as readonly string[])
      : DONE,
  'negative number': ({ value }) => (typeof value === 'number' ? -Math.abs(value) - 1 : DONE),
  'fraction for an integer': ({ value, schema }, random) =>
    typeof value === 'number' && schema.type === 'integer'
      ? random.pick<Json>([value + 0.5, literal(`${Math.trunc(value)}.0`), literal('1e2')])
      : DONE,
  'huge number': ({ value }, random) =>
    typeof value === 'number'
      ? literal(
          random.pick([
            '2147483648',
            '-2147483649',
            '9007199254740993',
            '9223372036854775807',
            '9223372036854775808',
            '1e30',
          ]),
        )
      : DONE,
  'out of range': ({ value, schema }, random) => {
    if (typeof value !== 'number') return DONE;
    const edges = [
      ...(schema.minimum === undefined ? [] : [schema.minimum - 1, schema.minimum]),
      ...(schema.maximum === undefined ? [] : [schema.maximum + 1, schema.maximum]),
    ];
    return edges.length === 0 ? DONE : random.pick(edges);
  },
  'odd text': ({ value }, random) => (typeof value === 'string' ? random.pick(ODD_TEXTS) : DONE),
  'empty value': ({ value }) =>
    typeof value === 'string'
      ? ''
      : Array.isArray(value)
        ? []
        : isDict(value)
          ? {}
          : typeof value === 'number'
            ? 0
            : DONE,
  'another value': ({ value, schema }, random) =>
    typeof value === 'object' && value !== null ? DONE : generateValue(schema, random),
  'another tree': ({ value, schema, path }, random) =>
    isDict(value) && path.length > 0 ? generateValue(schema, random) : DONE,
  'field added': ({ value, schema }, random) => {
    if (!isDict(value)) return DONE;
    const absent = Object.keys(schema.properties ?? {}).filter((name) => !(name in value));
    if (absent.length === 0) return DONE;
    const name = random.pick(absent);
    return { ...value, [name]: generateValue(schema.properties?.[name] as Schema, random) };
  },
  'items swapped': ({ value }) => (Array.isArray(value) && value.length > 1 ? [...value].reverse() : DONE),
};

/** The changes of metadata, apiVersion and kind. */
export const HEADS: Readonly<Record<string, (object: JsonDict) => JsonDict>> = {
  'bad name': (object) => withMetadata(object, { name: 'Not_A_Name' }),
  'no name': ({ metadata, ...rest }) => ({ ...rest, metadata: { ...(metadata as JsonDict), name: '' } }),
  'bad label': (object) => withMetadata(object, { labels: { 'a b': 'c', ok: 'not ok!' } }),
  'label of another type': (object) => withMetadata(object, { labels: { a: 1 } }),
  'bad annotation': (object) => withMetadata(object, { annotations: { '/': 'x' } }),
  'bad finalizer': (object) => withMetadata(object, { finalizers: ['no slash', 'example.com/fine'] }),
  'bad owner': (object) =>
    withMetadata(object, { ownerReferences: [{ apiVersion: 'v1', kind: '', name: 'x', uid: '' }] }),
  'unknown metadata': (object) => withMetadata(object, { unknown: true, labels: { a: 'b' } }),
  'wrong namespace': (object) => withMetadata(object, { namespace: 'elsewhere' }),
  'metadata is text': (object) => ({ ...object, metadata: 'text' }),
  'wrong kind': (object) => ({ ...object, kind: 'Other' }),
  'no kind': ({ kind: _kind, ...rest }) => rest,
  'wrong apiVersion': (object) => ({ ...object, apiVersion: 'example.com/v1' }),
  'unknown version': (object) => ({ ...object, apiVersion: `${String(object['apiVersion']).split('/')[0]}/v0` }),
  'no apiVersion': ({ apiVersion: _apiVersion, ...rest }) => rest,
  'unknown at the root': (object) => ({ ...object, unknownAtRoot: { a: 1 } }),
  'generation and creation time given': (object) =>
    withMetadata(object, { generation: 77, creationTimestamp: '2001-01-01T00:00:00Z', selfLink: '/x' }),
};

const HEAD_SHARE = 8;

/** Returns the object with one change, or unchanged if it has no place for one. */
export function mutate(object: JsonDict, schema: Schema, random: Random): Mutation {
  if (random.int(HEAD_SHARE) === 0) {
    const kind = random.pick(Object.keys(HEADS));
    return { kind, path: ['metadata'], object: (HEADS[kind] as (typeof HEADS)[string])(structuredClone(object)) };
  }
  const sites = sitesOf(object, schema);
  for (let tries = 0; tries < 200 && sites.length > 0; tries++) {
    const kind = random.pick(Object.keys(CHANGES));
    const site = random.pick(sites);
    const value = (CHANGES[kind] as Change)(site, random);
    if (value === DONE) continue;
    return { kind, path: site.path, object: withAt(object, site.path, value) as JsonDict };
  }
  return { kind: 'nothing', path: [], object };
}

/** Returns every place below the root that the schema has, without metadata. */
function sitesOf(object: JsonDict, schema: Schema): Site[] {
  const sites: Site[] = [];
  const visit = (value: Json, node: Schema, path: readonly Step[], required: boolean): void => {
    if (path.length > 0) sites.push({ path, schema: node, value, required });
    const children: readonly [Step, Json][] = Array.isArray(value)
      ? value.map((item, i) => [i, item])
      : isDict(value)
        ? Object.entries(value)
        : [];
    for (const [step, child] of children) {
      if (path.length === 0 && ['apiVersion', 'kind', 'metadata'].includes(String(step))) continue;
      const inner = schemaOf(node, step);
      if (inner !== undefined)
        visit(child, inner, [...path, step], typeof step === 'string' && node.required?.includes(step) === true);
    }
  };
  visit(object, schema, [], true);
  return sites;
}

function withMetadata(object: JsonDict, fields: JsonDict): JsonDict {
  return { ...object, metadata: { ...(object['metadata'] as JsonDict), ...fields } };
}

function typeOf(value: Json): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
