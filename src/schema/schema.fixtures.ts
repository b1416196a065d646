/** The fixtures of schema tests: a part of ObjectMeta, issues as lines, and random schemas with values. */
import fc from 'fast-check';
import { list, map, struct } from '../apimachinery/protobuf/core-facts.fixtures.ts';
import type { StructView } from '../apimachinery/type-view.ts';
import { type FieldIssue, formatIssueBody } from '../apimachinery/validation/field-issue.ts';
import { formatPath } from '../apimachinery/validation/field-path.ts';
import type { JsonObject, JsonValue } from '../base/json-value.ts';
import { compareUtf8 } from '../base/utf8.ts';
import { compileSchema } from './compile-schema.ts';
import type { CompiledSchema, CompileOptions } from './compiled-schema.ts';
import { parseStructural } from './structural/parse-structural.ts';
import type { StructuralSchema } from './structural/structural.ts';

export const objectMeta: StructView = struct(
  'meta/v1.ObjectMeta',
  ['name', 1, 'string', '?'],
  ['generateName', 2, 'string', '?'],
  ['namespace', 3, 'string', '?'],
  ['uid', 5, 'string', '?'],
  ['generation', 7, 'int64', '?'],
  ['creationTimestamp', 8, 'time', '?0'],
  ['labels', 11, map('string'), '?'],
  ['annotations', 12, map('string'), '?'],
  [
    'ownerReferences',
    13,
    list(
      struct(
        'meta/v1.OwnerReference',
        ['kind', 1, 'string'],
        ['name', 3, 'string'],
        ['uid', 4, 'string'],
        ['apiVersion', 5, 'string'],
      ),
    ),
    '?',
  ],
  ['finalizers', 14, list('string'), '?'],
);

export function parsed(schema: JsonObject): StructuralSchema {
  const result = parseStructural(schema);
  if (!result.ok) throw new Error(result.message);
  return result.schema;
}

export function compiled(schema: JsonObject, options: Partial<CompileOptions> = {}): CompiledSchema {
  return compileSchema(parsed(schema), { objectMeta, ...options });
}

/** One line for each issue, sorted, because the order of kube-apiserver is random. */
export function lines(issues: readonly FieldIssue[]): string[] {
  return issues.map((issue) => `${issue.reason}|${formatPath(issue.path)}|${formatIssueBody(issue)}`).sort(compareUtf8);
}

export function resource(spec: JsonValue): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'thing' }, spec };
}

const TEXT = fc.constantFrom('', 'a', 'ab', 'abc');
const NUMBER = fc.constantFrom(0, 1, 2, 5, -1, 1.5);

/** A structural schema and a value that mostly satisfies it. */
export interface SchemaAndValue {
  readonly schema: JsonObject;
  readonly value: JsonValue;
}

export function schemaAndValue(depth: number): fc.Arbitrary<SchemaAndValue> {
  const leaves = [
    leaf({ type: 'string' }, TEXT, { maxLength: 2, pattern: '^a?', enum: ['a', 'ab'] }),
    leaf({ type: 'integer' }, NUMBER, { maximum: 2, minimum: 0, multipleOf: 2 }),
    leaf({ type: 'boolean' }, fc.boolean(), {}),
    leaf({ 'x-kubernetes-int-or-string': true }, fc.oneof(TEXT, NUMBER), { maximum: 3 }),
  ];
  if (depth === 0) return fc.oneof(...leaves);
  return fc.oneof(...leaves, listOf(depth), objectOf(depth), mapOf(depth));
}

function leaf(base: JsonObject, fitting: fc.Arbitrary<JsonValue>, limits: JsonObject): fc.Arbitrary<SchemaAndValue> {
  const chosen = fc.subarray(Object.keys(limits)).map((names) => pick(limits, names));
  return fc
    .record({ limits: chosen, extra: extras(fitting), value: nearly(fitting) })
    .map(({ limits, extra, value }) => ({
      schema: { ...base, ...limits, ...extra },
      value,
    }));
}

function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, object[name] as JsonValue]));
}

function extras(fitting: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    fc.constant({ nullable: true }),
    fitting.map((value) => ({ default: value })),
  );
}

function nearly(fitting: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  const other = fc.constantFrom<JsonValue>(null, 'x', 7, true, [], {}, { unknown: { deep: 1 } });
  return fc.oneof({ weight: 8, arbitrary: fitting }, other);
}

function listOf(depth: number): fc.Arbitrary<SchemaAndValue> {
  const parts = fc.array(schemaAndValue(depth - 1), { minLength: 1, maxLength: 3 });
  const listType = fc.constantFrom<JsonObject>({}, { 'x-kubernetes-list-type': 'atomic' }, { maxItems: 2 });
  return fc.record({ parts, listType }).map(({ parts, listType }) => ({
    schema: { type: 'array', items: parts[0]?.schema ?? {}, ...listType },
    value: parts.map((part) => part.value),
  }));
}

function objectOf(depth: number): fc.Arbitrary<SchemaAndValue> {
  const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c'), schemaAndValue(depth - 1), { minKeys: 1 });
  const extra = fc.constantFrom<JsonObject>({}, { required: ['a'] }, { 'x-kubernetes-preserve-unknown-fields': true });
  const unknown = fc.constantFrom<JsonObject>({}, { z: { y: 1 } });
  return fc.record({ fields, extra, unknown }).map(({ fields, extra, unknown }) => ({
    schema: { type: 'object', properties: mapValues(fields, (field) => field.schema), ...extra },
    value: { ...mapValues(fields, (field) => field.value), ...unknown },
  }));
}

function mapOf(depth: number): fc.Arbitrary<SchemaAndValue> {
  const values = fc.array(schemaAndValue(depth - 1), { minLength: 1, maxLength: 2 });
  return values.map((parts) => ({
    schema: { type: 'object', additionalProperties: parts[0]?.schema ?? {} },
    value: Object.fromEntries(parts.map((part, i) => [`k${i}`, part.value])),
  }));
}

function mapValues<T>(object: Readonly<Record<string, T>>, make: (value: T) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, make(value)]));
}
