/** Versions with schemas and conversions between them, for tests. */
import { isStatusError } from '../../../apimachinery/status/status.ts';
import { cloneJson, type JsonObject } from '../../../base/json-value.ts';
import { compileSchema } from '../../../schema/compile-schema.ts';
import type { CompiledSchema } from '../../../schema/compiled-schema.ts';
import { structuralOf } from '../../../schema/structural/structural-node.ts';
import { objectMetaView } from '../../../server/resource/schema/object-metadata-form.ts';
import { checkFieldRules } from './check-field-rules.ts';
import type { CheckedVersion } from './checked-version.ts';
import { fieldsConverter } from './fields-converter.ts';
import { parseFieldRules } from './parse-field-rules.ts';

export interface TestVersion extends CheckedVersion {
  readonly compiled: CompiledSchema;
}

export const TEXT = { type: 'string' };
export const INTEGER = { type: 'integer' };
export const NUMBER = { type: 'number' };
export const BOOLEAN = { type: 'boolean' };

export function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

export function mapOf(additionalProperties: JsonObject): JsonObject {
  return { type: 'object', additionalProperties };
}

export function objectOf(properties: JsonObject, ...required: readonly string[]): JsonObject {
  return required.length === 0
    ? { type: 'object', properties }
    : { type: 'object', properties, required: [...required] };
}

/** A version whose objects always have a spec, with these fields. */
export function version(name: string, properties: JsonObject, ...required: readonly string[]): TestVersion {
  return versionOf(name, objectOf({ spec: objectOf(properties, ...required) }, 'spec'));
}

export function versionOf(name: string, json: JsonObject): TestVersion {
  const schema = structuralOf(json);
  const compiled = compileSchema(schema, { objectMeta: objectMetaView() });
  return { name, schema, compiled, prune: (object) => void compiled.prune(object) };
}

/** Returns the problems of rules as `place: message`. */
export function problems(text: string, versions: readonly TestVersion[]): readonly string[] {
  return checkFieldRules(text, versions).map(({ at, message }) => `${at.join('.')}: ${message}`);
}

/** Checks rules from `a` to `b`, and from `b` to `a`, with every field of both listed as lossy. */
export function between(fields: string, a: TestVersion, b: TestVersion, back = ''): readonly string[] {
  const text = `[{from: a, to: b, fields: [${fields}], lossy: [.spec]}, {from: b, to: a, fields: [${back}], lossy: [.spec]}]`;
  return problems(text, [a, b]);
}

/** Converts an object with the spec. Returns the object as the converter does, not pruned. Throws its failure. */
export function converted(
  rules: string,
  [from, to]: readonly [from: string, to: string],
  spec: JsonObject,
  versions: readonly TestVersion[] = [],
): JsonObject {
  const { pairs, problems } = parseFieldRules(rules);
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('; '));
  const versionOfName = (wanted: string) => versions.find(({ name }) => name === wanted);
  const converter = fieldsConverter({
    group: 'g.example',
    kind: 'Thing',
    pairs,
    schemaOf: (name) => versionOfName(name)?.schema,
    complete: (object, name) => {
      versionOfName(name)?.compiled.prune(object);
      versionOfName(name)?.compiled.setDefaults(object);
    },
  });
  const thing = { apiVersion: `g.example/${from}`, kind: 'Thing', metadata: { name: 'a' }, spec: cloneJson(spec) };
  const [result] = converter.convert([thing], from, to) as readonly JsonObject[];
  if (isStatusError(result)) throw result;
  return result as JsonObject;
}
