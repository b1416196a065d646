/** Structural schemas: their validation, and their effect on objects. */

import { type FieldIssue, formatIssueBody } from '../../src/apimachinery/validation/field-issue.ts';
import { FieldPath, formatPath } from '../../src/apimachinery/validation/field-path.ts';
import { readJson } from '../../src/base/json-read.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import { compareUtf8 } from '../../src/base/utf8.ts';
import { viewOfTypeName } from '../../src/kinds/views.ts';
import { compileSchema } from '../../src/schema/compile-schema.ts';
import type { CompiledSchema } from '../../src/schema/compiled-schema.ts';
import { formatCheck } from '../../src/schema/formats/format-check.ts';
import { openapiV2, openapiV3 } from '../../src/schema/published-schema.ts';
import { parseStructural } from '../../src/schema/structural/parse-structural.ts';
import { validateStructural } from '../../src/schema/structural/validate-structural.ts';
import { validateDefaults } from '../../src/schema/validate-defaults.ts';
import type { Random } from '../../test/fuzz/random.ts';
import type { Question } from './oracle.ts';
import { formatText } from './schema-format-texts.ts';
import { changed, FORMATS, resource, resourceSchema, structuralSchema } from './schema-generate.ts';
import type { OurAnswer, Subject } from './subject.ts';

const objectMeta = viewOfTypeName('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');

function read(text: string | undefined): JsonValue {
  const result = readJson(text ?? 'null');
  if (!result.ok) throw new Error('a generated question is not JSON');
  return result.value;
}

type Answerer = (schema: CompiledSchema, input: JsonObject) => OurAnswer;

function withSchema(answer: Answerer): (question: Question) => OurAnswer {
  return ({ doc, patch }) => {
    const parsed = parseStructural(read(doc) as JsonObject);
    if (!parsed.ok) return { ok: false, error: parsed.message };
    return answer(compileSchema(parsed.schema, { objectMeta }), (read(patch) ?? {}) as JsonObject);
  };
}

/** Returns one line for each issue, sorted, because the reference walks maps in random order. */
function texts(issues: readonly FieldIssue[]): string[] {
  return issues.map((issue) => `${issue.reason}|${formatPath(issue.path)}|${formatIssueBody(issue)}`).sort(compareUtf8);
}

function questionOf(op: string, random: Random): Question {
  const schema = resourceSchema(random);
  const object = resource(random, schema);
  return { op, doc: writeJson(schema), patch: writeJson({ object }) };
}

function updateOf(random: Random): Question {
  const schema = resourceSchema(random);
  const old = resource(random, schema);
  const object = changed(random, old);
  const part = 'status' in (schema['properties'] as JsonObject) && random.int(2) === 0 ? { part: 'status' } : {};
  return { op: 'schema-validate', doc: writeJson(schema), patch: writeJson({ object, old, ...part }) };
}

/** Returns a schema with a part that is not allowed. */
function damaged(random: Random): JsonObject {
  const schema = random.int(2) === 0 ? resourceSchema(random) : structuralSchema(random, 3);
  const places: JsonObject[] = [];
  const collect = (value: JsonValue | undefined): void => {
    if (Array.isArray(value)) value.forEach(collect);
    else if (isJsonObject(value)) {
      places.push(value);
      for (const name of ['items', 'additionalProperties', 'not', 'allOf', 'anyOf', 'oneOf']) collect(value[name]);
      if (isJsonObject(value['properties'])) Object.values(value['properties']).forEach(collect);
    }
  };
  collect(schema);
  for (let i = random.int(4); i > 0; i--) {
    const [name, value] = random.pick(DAMAGE);
    random.pick(places)[name] = value;
  }
  return schema;
}

const DAMAGE: readonly (readonly [name: string, value: JsonValue])[] = [
  ['type', ''],
  ['type', 'string'],
  ['type', 'array'],
  ['nullable', true],
  ['description', 'text'],
  ['title', 'text'],
  ['pattern', '('],
  ['additionalProperties', true],
  ['additionalProperties', { type: 'string' }],
  ['x-kubernetes-int-or-string', true],
  ['x-kubernetes-embedded-resource', true],
  ['x-kubernetes-preserve-unknown-fields', true],
  ['x-kubernetes-preserve-unknown-fields', false],
  ['x-kubernetes-list-type', 'set'],
  ['x-kubernetes-list-map-keys', ['a']],
  ['x-kubernetes-map-type', 'atomic'],
  ['anyOf', [{ type: 'integer' }, { type: 'string' }]],
  ['allOf', [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }]],
  ['properties', { metadata: { type: 'object', properties: { name: { type: 'string' } } } }],
  ['properties', { metadata: { type: 'object', maxProperties: 3 } }],
  ['$ref', '#/x'],
  ['patternProperties', { a: {} }],
];

const BOUNDARY = /(boundary|MultipleOf) value must be of type/;

/** If a limit does not fit its own type, the reference shows the value as a double: 1e+06 for 1000000. */
function shownAsDouble(_: Question, ours: OurAnswer, theirs: OurAnswer): string | undefined {
  const plain = ({ list = [] }: OurAnswer): string =>
    [...list]
      .map((line) => line.replace(/Invalid value: -?[0-9.e+]+:/, 'Invalid value: N:'))
      .sort()
      .join('\n');
  return BOUNDARY.test(plain(ours)) && plain(ours) === plain(theirs) ? 'values beside impossible limits' : undefined;
}

/**
 * Of several errors of one embedded resource in a default, the reference reports any: one line differs, and both name
 * that resource.
 */
function oneOfSeveral({ list: ours = [] }: OurAnswer, { list: theirs = [] }: OurAnswer): string | undefined {
  const mine = ours.filter((line) => !theirs.includes(line));
  const other = theirs.filter((line) => !ours.includes(line));
  const resource = (line = ''): string | undefined => /\|(.*)\.(apiVersion|kind|metadata)\|/.exec(line)?.[1];
  if (mine.length !== 1 || other.length !== 1) return undefined;
  return resource(mine[0]) !== undefined && resource(mine[0]) === resource(other[0]) ? 'one of several' : undefined;
}

/**
 * The descriptions of kind, apiVersion and metadata are our own words. A stored definition has neither an empty type
 * nor a default of null; generated ones do.
 */
function withoutTypeTexts(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutTypeTexts);
  if (!isJsonObject(value)) return value;
  const out: JsonObject = {};
  for (const [name, field] of Object.entries(value)) {
    if ((name === 'default' && field === null) || (name === 'type' && field === '')) continue;
    const part = withoutTypeTexts(field);
    if (isJsonObject(part) && (name === 'apiVersion' || name === 'kind' || name === 'metadata'))
      delete part['description'];
    out[name] = part;
  }
  return out;
}

export const schemaSubjects: readonly Subject[] = [
  {
    name: 'schema-structural',
    ask: (random) => ({ op: 'schema-structural', doc: writeJson(damaged(random)) }),
    answer: ({ doc }) => {
      const parsed = parseStructural(read(doc) as JsonObject);
      if (!parsed.ok) return { ok: false, error: parsed.message };
      return { ok: true, list: texts(validateStructural(parsed.schema, FieldPath.of('schema'))) };
    },
    // Of several parts that cannot be converted, the reference reports any.
    known: (_, ours, theirs) => (ours.ok || theirs.ok ? undefined : 'one of several'),
  },
  {
    name: 'schema-prune',
    ask: (random) => questionOf('schema-prune', random),
    answer: withSchema((schema, { object }) => {
      const unknown = [...schema.prune(object as JsonObject)];
      const coerced = schema.coerceEmbedded(object as JsonObject);
      if (!coerced.ok) return { ok: false, error: coerced.message };
      return { ok: true, out: object as JsonValue, list: [...unknown, ...coerced.unknown] };
    }),
    // Of several malformed resources, the reference reports any.
    known: (_, ours, theirs) => (ours.ok || theirs.ok ? undefined : 'one of several'),
  },
  {
    name: 'schema-default',
    ask: (random) => questionOf('schema-default', random),
    answer: withSchema((schema, { object }) => {
      schema.setDefaults(object as JsonObject);
      return { ok: true, out: object as JsonValue };
    }),
  },
  {
    name: 'schema-validate',
    ask: (random) => questionOf('schema-validate', random),
    answer: withSchema((schema, { object }) => ({ ok: true, list: texts(schema.validate(object as JsonObject)) })),
    known: shownAsDouble,
  },
  {
    name: 'schema-validate update',
    ask: updateOf,
    answer: withSchema((schema, { object, old, part }) => {
      const options = { old: old as JsonObject, ...(part === 'status' ? ({ part: 'status' } as const) : {}) };
      return { ok: true, list: texts(schema.validate(object as JsonObject, options)) };
    }),
    known: shownAsDouble,
  },
  {
    name: 'schema-default-values',
    ask: (random) => ({ op: 'schema-default-values', rule: 'pruned', doc: writeJson(resourceSchema(random)) }),
    answer: ({ doc }) => {
      const parsed = parseStructural(read(doc) as JsonObject);
      if (!parsed.ok) return { ok: false, error: parsed.message };
      const issues = validateDefaults(parsed.schema, { path: FieldPath.of('schema'), objectMeta, requirePruned: true });
      return { ok: true, list: texts(issues) };
    },
    known: (question, ours, theirs) => shownAsDouble(question, ours, theirs) ?? oneOfSeveral(ours, theirs),
  },
  {
    name: 'schema-openapi',
    ask: (random) => ({
      op: 'schema-openapi',
      rule: random.pick(['v2', 'v3']),
      text: random.pick(['', '', 'preserve']),
      doc: writeJson(random.int(4) === 0 ? damaged(random) : resourceSchema(random)),
    }),
    answer: ({ doc, rule, text }) => {
      const parsed = parseStructural(read(doc) as JsonObject);
      const schema = parsed.ok && validateStructural(parsed.schema).length === 0 ? parsed.schema : undefined;
      const published = rule === 'v2' ? openapiV2(schema, text === 'preserve') : openapiV3(schema);
      const kinds = [{ group: 'example.com', kind: 'Thing', version: 'v1' }];
      return { ok: true, out: { ...published, 'x-kubernetes-group-version-kind': kinds } };
    },
    view: withoutTypeTexts,
  },
  {
    name: 'schema-format',
    ask: (random) => {
      const rule = random.pick(FORMATS);
      return { op: 'schema-format', rule, text: formatText(rule, random) };
    },
    answer: ({ rule = '', text = '' }) => ({ ok: true, out: formatCheck(rule)?.(text) === true }),
  },
];
