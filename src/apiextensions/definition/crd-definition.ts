/** The resource CustomResourceDefinition in its two versions. v1 is the storage version. */
import { BugError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { kindView } from '../../kinds/views.ts';
import { CREATED_AT, NAME, tableOf } from '../../server/resource/columns.ts';
import type { StoredDefinition } from '../../server/resource/resource-definition.ts';
import { storedResource } from '../../server/resource/stored-resource.ts';
import { typedVersion } from '../../server/resource/typed-version.ts';
import { updateSubresource } from '../../server/resource/update-subresource.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import { toV1, toV1beta1 } from './crd-conversion.ts';
import { setV1beta1Defaults, setV1Defaults } from './crd-defaults.ts';
import { type DefinitionTools, definitionStatusStrategy, definitionStrategy, V1BETA1 } from './crd-strategy.ts';

export const CRD_GROUP = 'apiextensions.k8s.io';
export const CRD_KIND = 'CustomResourceDefinition';
export const CRD_PLURAL = 'customresourcedefinitions';

export const CRD_V1: VersionDefinition = version('v1', setV1Defaults);
export const CRD_V1BETA1: VersionDefinition = version(V1BETA1, setV1beta1Defaults);

/** `tools` check schemas, rules and certificates. */
export function crdDefinition(tools: DefinitionTools): StoredDefinition {
  return storedResource({
    plural: CRD_PLURAL,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    scope: 'Cluster',
    versions: [CRD_V1, CRD_V1BETA1],
    storagePrefix: `${CRD_GROUP}/${CRD_PLURAL}`,
    convert: (objects, _from, to) => objects.map((object) => convertDefinition(object, to)),
    strategy: definitionStrategy(tools),
    subresources: [updateSubresource('status', definitionStatusStrategy(tools))],
  });
}

/**
 * Converts a definition to the given version, with its fields in the order of that version. Does not modify the object.
 */
export function convertDefinition(object: JsonObject, to: VersionDefinition): JsonObject {
  const apiVersion = `${to.group}/${to.version}`;
  const converted = to.version === V1BETA1 ? toV1beta1(object, apiVersion) : toV1(object, apiVersion);
  const normalized = to.normalize(converted);
  if (!normalized.ok) throw new BugError(`a definition that cannot be converted: ${normalized.message}`);
  return normalized.object;
}

function version(name: string, setDefaults: (object: JsonObject) => void): VersionDefinition {
  return typedVersion({
    group: CRD_GROUP,
    version: name,
    kind: CRD_KIND,
    view: () => kindView(CRD_GROUP, name, CRD_KIND),
    setDefaults,
    table: tableOf(NAME, CREATED_AT),
    // kube-apiserver stores definitions as JSON, which keeps empty lists.
    stored: false,
  });
}
