/** Conversion between the versions of one resource. */
import { formatGroupVersion } from '../../apimachinery/meta/gvk.ts';
import { BugError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { type Converted, isFailure } from './converted.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import type { VersionDefinition } from './version-definition.ts';

/**
 * Converts objects, which may be changed in place, and prunes the results. Gives them the defaults of `to`, unless the
 * resource has a stored history and `to` is not its storage version, as kube-apiserver does for custom resources. See
 * `defaultsEveryVersion`.
 */
export function convertObjects(
  definition: ResourceDefinition,
  objects: readonly JsonObject[],
  from: VersionDefinition,
  to: VersionDefinition,
): MaybePromise<readonly Converted[]> {
  const { history, storageVersion } = definition;
  return andThen(convertUnpruned(definition, objects, from, to), (results) => {
    if (to.prune !== undefined) for (const object of results) if (!isFailure(object)) to.prune(object);
    const isDefaulted = history === undefined || history.defaultsEveryVersion === true || to === storageVersion;
    const hasDefaults = to.setDefaults !== undefined && isDefaulted;
    if (hasDefaults) for (const object of results) if (!isFailure(object)) to.setDefaults?.(object);
    return results;
  });
}

function convertUnpruned(
  definition: ResourceDefinition,
  objects: readonly JsonObject[],
  from: VersionDefinition,
  to: VersionDefinition,
): MaybePromise<readonly Converted[]> {
  const converted = definition.convert?.(objects, from, to) ?? objects.map((object) => retype(object, to));
  return andThen(converted, (results) => {
    if (results.length !== objects.length)
      throw new BugError(`${objects.length} objects were converted to ${results.length}`);
    return results;
  });
}

/** Converts one object. Returns it unchanged if the versions are the same. Throws if it cannot be converted. */
export function convertObject(
  definition: ResourceDefinition,
  object: JsonObject,
  from: VersionDefinition,
  to: VersionDefinition,
): MaybePromise<JsonObject> {
  return from === to ? object : andThen(convertObjects(definition, [object], from, to), onlyObject);
}

/**
 * As `convertObject`, but neither prunes the object nor sets defaults: nothing gets lost on the way to another version
 * and back. The result may have fields that its version does not declare.
 */
export function convertWhole(
  definition: ResourceDefinition,
  object: JsonObject,
  from: VersionDefinition,
  to: VersionDefinition,
): MaybePromise<JsonObject> {
  return from === to ? object : andThen(convertUnpruned(definition, [object], from, to), onlyObject);
}

function onlyObject([converted]: readonly Converted[]): JsonObject {
  if (isFailure(converted as Converted)) throw converted;
  return converted as JsonObject;
}

/** For resources without a conversion, whose versions differ in their type fields only. */
function retype(object: JsonObject, to: VersionDefinition): JsonObject {
  object['apiVersion'] = formatGroupVersion(to);
  object['kind'] = to.kind;
  return object;
}
