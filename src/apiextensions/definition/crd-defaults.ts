/** The defaults of a definition, for each version. Invariant: idempotent. */

import {
  ensureObject,
  flagAt,
  listAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from '../../apimachinery/meta/object-fields.ts';
import { getField, isJsonObject, type JsonObject } from '../../base/json-value.ts';

const WEBHOOK_PORT = 443;

/** Sets singular and list kind from the kind, conversion strategy None, and the storage version as a stored version. */
export function setV1Defaults(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  setNames(spec);
  if (objectAt(spec, 'conversion') === undefined) spec['conversion'] = { strategy: 'None' };
  setPort(objectAt(spec, 'conversion', 'webhook', 'clientConfig', 'service'));
  setStoredVersions(object);
}

/**
 * Sets the defaults of v1, and: scope Namespaced, one version from `spec.version`, conversion reviews in v1beta1, and
 * unknown fields preserved.
 */
export function setV1beta1Defaults(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  if (textAt(spec, 'scope') === '') spec['scope'] = 'Namespaced';
  setNames(spec);
  const version = textAt(spec, 'version');
  const [first] = objectsAt(spec, 'versions');
  if (first === undefined && version !== '') spec['versions'] = [{ name: version, served: true, storage: true }];
  else if (first !== undefined && version === '') spec['version'] = textAt(first, 'name');
  if (objectAt(spec, 'conversion') === undefined) spec['conversion'] = { strategy: 'None' };
  const conversion = ensureObject(spec, 'conversion');
  if (textAt(conversion, 'strategy') === 'Webhook' && listAt(conversion, 'conversionReviewVersions').length === 0)
    conversion['conversionReviewVersions'] = ['v1beta1'];
  setPort(objectAt(conversion, 'webhookClientConfig', 'service'));
  if (typeof getField(spec, 'preserveUnknownFields') !== 'boolean') spec['preserveUnknownFields'] = true;
  setStoredVersions(object);
}

/** Returns the name of the version that is marked as storage version, or undefined. */
export function storageVersionName(object: JsonObject): string | undefined {
  const storage = objectsAt(object, 'spec', 'versions').find((version) => flagAt(version, 'storage'));
  return storage === undefined ? undefined : textAt(storage, 'name');
}

function setNames(spec: JsonObject): void {
  const names = ensureObject(spec, 'names');
  const kind = textAt(names, 'kind');
  if (textAt(names, 'singular') === '' && kind !== '') names['singular'] = kind.toLowerCase();
  if (textAt(names, 'listKind') === '' && kind !== '') names['listKind'] = `${kind}List`;
}

function setPort(service: JsonObject | undefined): void {
  if (isJsonObject(service) && (getField(service, 'port') ?? undefined) === undefined) service['port'] = WEBHOOK_PORT;
}

function setStoredVersions(object: JsonObject): void {
  if (textsAt(object, 'status', 'storedVersions').length > 0) return;
  const name = storageVersionName(object);
  if (name !== undefined) ensureObject(object, 'status')['storedVersions'] = [name];
}
