/**
 * CustomResourceDefinition as a resource: two versions, v1 stored. Invariant: everything about the kind that the generic server has to know is here; what establishes, names and
 * empties definitions are loops elsewhere.
 */
import { normalizeTyped } from '../../apimachinery/codec/typed-normalize.ts';
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { BugError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { kindView } from '../../kinds/views.ts';
import type { StoredDefinition } from '../../server/resource/resource-definition.ts';
import { updateSubresource } from '../../server/resource/update-subresource.ts';
import type { TableDefinition, VersionDefinition } from '../../server/resource/version-definition.ts';
import { toV1, toV1beta1 } from './conversion.ts';
import { setV1beta1Defaults, setV1Defaults } from './defaults.ts';
import { type DefinitionTools, definitionStatusStrategy, definitionStrategy, V1BETA1 } from './definition-strategy.ts';

export const CRD_GROUP = 'apiextensions.k8s.io';
export const CRD_KIND = 'CustomResourceDefinition';
export const CRD_PLURAL = 'customresourcedefinitions';

export const CRD_V1: VersionDefinition = version('v1', setV1Defaults);
export const CRD_V1BETA1: VersionDefinition = version(V1BETA1, setV1beta1Defaults);

/** The resource. `tools` know schemas, rules and certificates, and what a new definition gets at once. */
export function crdDefinition(tools: DefinitionTools): StoredDefinition {
  return {
    plural: CRD_PLURAL,
    singular: CRD_KIND.toLowerCase(),
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    scope: 'Cluster',
    versions: [CRD_V1, CRD_V1BETA1],
    storageVersion: CRD_V1,
    storagePrefix: `${CRD_GROUP}/${CRD_PLURAL}`,
    generation: '1',
    convert: (objects, _from, to) => objects.map((object) => convertDefinition(object, to)),
    strategy: definitionStrategy(tools),
    subresources: [updateSubresource('status', definitionStatusStrategy(tools))],
  };
}

/** A definition in the version given, its fields in the order of that version. The given object is not changed. */
export function convertDefinition(object: JsonObject, to: VersionDefinition): JsonObject {
  const apiVersion = `${to.group}/${to.version}`;
  const converted = to.version === V1BETA1 ? toV1beta1(object, apiVersion) : toV1(object, apiVersion);
  const normalized = to.normalize(converted);
  if (!normalized.ok) throw new BugError(`a definition that cannot be converted: ${normalized.message}`);
  return normalized.object;
}

function version(name: string, setDefaults: (object: JsonObject) => void): VersionDefinition {
  const type = () => kindView(CRD_GROUP, name, CRD_KIND);
  return {
    group: CRD_GROUP,
    version: name,
    kind: CRD_KIND,
    listKind: `${CRD_KIND}List`,
    type,
    strategicMerge: true,
    protobuf: true,
    // As decoded: the reference stores definitions as JSON.
    normalize: (object) => normalizeTyped(object, type(), 'decoded'),
    setDefaults,
    table: () => TABLE,
    selectableFields: [],
    // The reference warned that v1beta1 would go; here it stays.
    deprecationWarning: '',
  };
}

const TABLE: TableDefinition = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'The name of the object.', priority: 0 },
    { name: 'Created At', type: 'date', format: '', description: 'When the object was created.', priority: 0 },
  ],
  cells: (object) => [
    textAt(object, 'metadata', 'name'),
    textAt(object, 'metadata', 'creationTimestamp') || '0001-01-01T00:00:00Z',
  ],
};
