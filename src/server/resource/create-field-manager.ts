/**
 * Field managers of resources and subresources. Making one loads the types of the resource, so servers make it on the
 * first write.
 */
import { mergeTypeOf } from '../../apimachinery/apply/view-type.ts';
import type { SetFilter } from '../../apimachinery/field-set/set-filter.ts';
import { FieldManager } from '../../apimachinery/managed-fields/field-manager.ts';
import { newObjectOf } from '../../apimachinery/managed-fields/new-object.ts';
import { formatGroupVersion } from '../../apimachinery/meta/gvk.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { unknown } from '../../apimachinery/status/status-catalogue.ts';
import { cloneJson, type JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { convertWhole } from './convert-objects.ts';
import type { ResourceDefinition, SubresourceDefinition } from './resource-definition.ts';
import type { VersionDefinition } from './version-definition.ts';

/**
 * Makes the field manager of a resource, or of one of its subresources, for requests in `version`. `subresource`
 * defaults to the resource itself.
 */
export function createFieldManager(
  definition: ResourceDefinition,
  version: VersionDefinition,
  subresource?: SubresourceDefinition,
): FieldManager {
  const bodyVersion = subresource?.version ?? version;
  const byName = new Map([[formatGroupVersion(bodyVersion), bodyVersion]]);
  // A subresource with a kind of its own, such as Scale, has one version. Managers of an Event in the other group are
  // dropped, as in the reference.
  if (bodyVersion === version)
    for (const each of definition.versions)
      if (each.group === version.group) byName.set(formatGroupVersion(each), each);
  const resetFields = subresource === undefined ? definition.strategy.resetFields : subresource.resetFields;
  const filters = new Map<string, SetFilter>();
  for (const [name, each] of byName) {
    const filter = resetFields?.(each, version);
    if (filter !== undefined) filters.set(name, filter);
  }
  let zero: JsonObject | undefined;
  return new FieldManager({
    kind: { group: bodyVersion.group, version: bodyVersion.version, kind: bodyVersion.kind },
    subresource: subresource?.name ?? '',
    versions: {
      typeAt: (apiVersion) => {
        const each = byName.get(apiVersion);
        return each === undefined ? undefined : mergeTypeOf(each.type());
      },
      convert: (object, apiVersion) => convertTo(definition, byName, object, apiVersion),
    },
    resetFields: filters,
    decodedObjects: bodyVersion.unstructured !== true,
    newObject: () => {
      zero ??= zeroOf(bodyVersion);
      return zero;
    },
  });
}

function zeroOf(version: VersionDefinition): JsonObject {
  if (version.unstructured === true) return { apiVersion: formatGroupVersion(version), kind: version.kind };
  return newObjectOf(version.type(), version);
}

function convertTo(
  definition: ResourceDefinition,
  byName: ReadonlyMap<string, VersionDefinition>,
  object: JsonObject,
  apiVersion: string,
): MaybePromise<JsonObject> {
  const [from, to] = [byName.get(String(object['apiVersion'])), byName.get(apiVersion)];
  if (from === undefined || to === undefined)
    throw new StatusError(unknown(`cannot convert ${String(object['apiVersion'])} to ${apiVersion}`));
  // Conversion must not prune: a field of a custom resource that the other version does not declare fails the
  // operation, as in the reference. A pruned object would lose data when it is converted back. Conversion must not set
  // defaults either: abandoned fields would then have an owner.
  const converted = convertWhole(definition, cloneJson(object), from, to);
  return to.unstructured === true ? converted : andThen(converted, (whole) => withZeroValues(to, whole));
}

/** Adds the zero values that the type always writes. A conversion leaves them out where the object has no parent. */
function withZeroValues(version: VersionDefinition, object: JsonObject): JsonObject {
  const normalized = version.normalize(object);
  if (normalized.ok) return normalized.object;
  throw new StatusError(unknown(normalized.message));
}
