/**
 * The kind Secret. Invariant: a stored Secret has a type and no stringData; no message made here contains a value from
 * its data.
 */

import { fieldAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  required,
  tooLong,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkConfigMapKey } from '../../../apimachinery/validation/name-syntax.ts';
import { validateImmutableField } from '../../../apimachinery/validation/validate-object-meta-update.ts';
import { decodeBase64, encodeBase64 } from '../../../base/base64.ts';
import { encodeUtf8 } from '../../../base/bytes.ts';
import { equalJson, type JsonObject, setField } from '../../../base/json-value.ts';
import { compareUtf8 } from '../../../base/utf8.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { decodedLength, IMMUTABLE_SET, MAX_DATA_BYTES } from './config-map.ts';
import { jsonObjectProblem } from './json-problem.ts';
import { keyPairProblem } from './key-pair.ts';

const SERVICE_ACCOUNT_TOKEN_TYPE = 'kubernetes.io/service-account-token';
const SERVICE_ACCOUNT_NAME_ANNOTATION = 'kubernetes.io/service-account.name';
const TLS_TYPE = 'kubernetes.io/tls';

const METADATA = FieldPath.of('metadata');
const DATA = FieldPath.of('data');

export const secretTable: () => TableDefinition = tableOf(
  NAME,
  column('Type', 'What the keys mean.', (object) => textAt(object, 'type')),
  column('Data', 'How many keys it has.', (object) => Object.keys(dataOf(object)).length),
  AGE,
);

export const SECRET: KubeResource = {
  definition: storedResource({
    plural: 'secrets',
    scope: 'Namespaced',
    versions: [
      builtInVersion({
        group: '',
        version: 'v1',
        kind: 'Secret',
        setDefaults: setSecretDefaults,
        table: secretTable,
        selectableFields: ['type'],
      }),
    ],
    strategy: strategyWithDefaults({
      validate: validateSecret,
      validatesMetadata: true,
      warningsOnCreate: secretWarnings,
      prepareForUpdate: prepareSecretForUpdate,
      validateUpdate: validateSecretUpdate,
      warningsOnUpdate: secretWarnings,
    }),
  }),
};

/** Sets the default type and moves the write-only stringData into data, where it replaces entries with the same key. */
export function setSecretDefaults(object: JsonObject): void {
  foldStringData(object);
  if (textAt(object, 'type') === '') object['type'] = 'Opaque';
}

function foldStringData(object: JsonObject): void {
  const texts = objectAt(object, 'stringData');
  if (!Object.hasOwn(object, 'stringData')) return;
  delete object['stringData'];
  if (texts === undefined || Object.keys(texts).length === 0) return;
  const data = new Map(Object.entries(dataOf(object)));
  for (const key of Object.keys(texts)) data.set(key, encodeBase64(encodeUtf8(texts[key] as string)));
  const folded: JsonObject = {};
  for (const key of [...data.keys()].sort(compareUtf8)) setField(folded, key, data.get(key) as string);
  object['data'] = folded;
}

function prepareSecretForUpdate(object: JsonObject, old: JsonObject): void {
  if (textAt(object, 'type') === '') object['type'] = textAt(old, 'type');
}

export function validateSecret(object: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA);
  const data = dataOf(object);
  let size = 0;
  for (const key of Object.keys(data)) {
    for (const complaint of checkConfigMapKey(key)) issues.push(invalid(DATA.key(key), key, complaint));
    size += decodedLength(data[key] as string);
  }
  if (size > MAX_DATA_BYTES) issues.push(tooLong(DATA, undefined, MAX_DATA_BYTES));
  return [...issues, ...validateType(object, data)];
}

export function validateSecretUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateMetaUpdate(object, old);
  addIssues(
    issues,
    validateImmutableField(textAt(object, 'type'), textAt(old, 'type'), FieldPath.of('type')).map(declared),
  );
  if (fieldAt(old, 'immutable') === true) {
    if (fieldAt(object, 'immutable') !== true) issues.push(forbidden(FieldPath.of('immutable'), IMMUTABLE_SET));
    if (!equalJson(dataOf(object), dataOf(old))) issues.push(forbidden(DATA, IMMUTABLE_SET));
  }
  return [...issues, ...validateSecret(object)];
}

/** A certificate and a key that do not match are stored, with a warning. */
export function secretWarnings(object: JsonObject): readonly string[] {
  if (textAt(object, 'type') !== TLS_TYPE) return [];
  const problem = keyPairProblem(bytesAt(object, 'tls.crt'), bytesAt(object, 'tls.key'));
  return problem === undefined ? [] : [problem];
}

function validateType(object: JsonObject, data: JsonObject): FieldIssue[] {
  const missing = (...keys: readonly string[]): FieldIssue[] =>
    keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(DATA.key(key), ''));
  switch (textAt(object, 'type')) {
    case SERVICE_ACCOUNT_TOKEN_TYPE: {
      const path = METADATA.child('annotations').key(SERVICE_ACCOUNT_NAME_ANNOTATION);
      const account = textAt(object, 'metadata', 'annotations', SERVICE_ACCOUNT_NAME_ANNOTATION);
      return account === '' ? [required(path, '')] : [];
    }
    case 'kubernetes.io/dockercfg':
      return validateJsonKey(object, data, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return validateJsonKey(object, data, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth': {
      const absent = missing('username', 'password');
      return absent.length === 2 ? absent : [];
    }
    case 'kubernetes.io/ssh-auth':
      return (textAt(data, 'ssh-privatekey') === '' ? ['ssh-privatekey'] : []).map((key) =>
        required(DATA.key(key), ''),
      );
    case TLS_TYPE:
      return missing('tls.crt', 'tls.key');
    default:
      return [];
  }
}

function validateJsonKey(object: JsonObject, data: JsonObject, key: string): FieldIssue[] {
  if (!Object.hasOwn(data, key)) return [required(DATA.key(key), '')];
  const problem = jsonObjectProblem(bytesAt(object, key));
  return problem === undefined ? [] : [invalid(DATA.key(key), '<secret contents redacted>', problem)];
}

function dataOf(object: JsonObject): JsonObject {
  return objectAt(object, 'data') ?? {};
}

function bytesAt(object: JsonObject, key: string): Uint8Array {
  return decodeBase64(textAt(dataOf(object), key)) ?? new Uint8Array();
}
