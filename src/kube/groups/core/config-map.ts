/** The kind ConfigMap. */

import { fieldAt, objectAt } from '../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, forbidden, invalid, tooLong } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkConfigMapKey } from '../../../apimachinery/validation/name-syntax.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { utf8Length } from '../../../base/utf8.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';

/** The limit for all values of one ConfigMap or Secret together. */
export const MAX_DATA_BYTES: number = 1024 * 1024;
/** The message about a changed field of a ConfigMap or Secret with `immutable: true`. */
export const IMMUTABLE_SET = 'field is immutable when `immutable` is set';

const METADATA = FieldPath.of('metadata');
const DATA = FieldPath.of('data');
const BINARY_DATA = FieldPath.of('binaryData');

export const configMapTable: () => TableDefinition = tableOf(
  NAME,
  column(
    'Data',
    'How many keys it has.',
    (object) => Object.keys(dataOf(object)).length + Object.keys(binaryDataOf(object)).length,
  ),
  AGE,
);

export const CONFIG_MAP: KubeResource = {
  definition: storedResource({
    plural: 'configmaps',
    shortNames: ['cm'],
    scope: 'Namespaced',
    versions: [builtInVersion({ group: '', version: 'v1', kind: 'ConfigMap', table: configMapTable })],
    strategy: strategyWithDefaults({
      validate: validateConfigMap,
      validatesMetadata: true,
      validateUpdate: validateConfigMapUpdate,
    }),
  }),
};

export function validateConfigMap(object: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA);
  const data = dataOf(object);
  const binary = binaryDataOf(object);
  let characters = 0;
  for (const key of Object.keys(data)) {
    for (const complaint of checkConfigMapKey(key)) issues.push(invalid(DATA.key(key), key, complaint));
    if (Object.hasOwn(binary, key)) issues.push(invalid(DATA.key(key), key, 'duplicate of key present in binaryData'));
    characters += (data[key] as string).length;
  }
  let size = 0;
  for (const key of Object.keys(binary)) {
    for (const complaint of checkConfigMapKey(key)) issues.push(invalid(BINARY_DATA.key(key), key, complaint));
    size += decodedLength(binary[key] as string);
  }
  // A UTF-16 code unit is at most three bytes of UTF-8, so the exact size matters only for large maps.
  if (characters * 3 + size > MAX_DATA_BYTES) {
    for (const key of Object.keys(data)) size += utf8Length(data[key] as string);
    if (size > MAX_DATA_BYTES) issues.push(tooLong(FieldPath.of(''), undefined, MAX_DATA_BYTES));
  }
  return issues;
}

export function validateConfigMapUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateMetaUpdate(object, old);
  if (fieldAt(old, 'immutable') === true) {
    if (fieldAt(object, 'immutable') !== true) issues.push(forbidden(FieldPath.of('immutable'), IMMUTABLE_SET));
    if (!equalJson(dataOf(object), dataOf(old))) issues.push(forbidden(DATA, IMMUTABLE_SET));
    if (!equalJson(binaryDataOf(object), binaryDataOf(old))) issues.push(forbidden(BINARY_DATA, IMMUTABLE_SET));
  }
  return [...issues, ...validateConfigMap(object)];
}

/** The decoded length of a normalized base64 text. */
export function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

function dataOf(object: JsonObject): JsonObject {
  return objectAt(object, 'data') ?? {};
}

function binaryDataOf(object: JsonObject): JsonObject {
  return objectAt(object, 'binaryData') ?? {};
}
