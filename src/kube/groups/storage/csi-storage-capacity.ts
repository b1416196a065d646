/**
 * The kind CSIStorageCapacity. Topology and storage class are immutable. kube-apiserver has no table columns for it.
 */
import { fieldAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { formatQuantity } from '../../../apimachinery/scalars/quantity.ts';
import { quantitySign } from '../../../apimachinery/scalars/quantity-arithmetic.ts';
import { validateLabelSelectorObject } from '../../../apimachinery/selectors/label-selector-object.ts';
import { declared, type FieldIssue, invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkDns1123Subdomain } from '../../../apimachinery/validation/name-syntax.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/validation/validate-object-meta.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { CREATED_AT, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { selectorAt } from '../../shared/label-selector.ts';
import { nodeLabelSelectorWarnings } from '../../shared/node-selector.ts';
import { amountOf } from '../../shared/resource-lists.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';

const METADATA = FieldPath.of('metadata');
const TOPOLOGY = FieldPath.of('nodeTopology');
const CLASS = FieldPath.of('storageClassName');

export const CSI_STORAGE_CAPACITY: KubeResource = {
  definition: storedResource({
    plural: 'csistoragecapacities',
    scope: 'Namespaced',
    versions: [
      builtInVersion({
        group: 'storage.k8s.io',
        version: 'v1',
        kind: 'CSIStorageCapacity',
        table: tableOf(NAME, CREATED_AT),
      }),
    ],
    strategy: strategyWithDefaults({
      allowUnconditionalUpdate: false,
      validate: (object) => validateCsiStorageCapacity(object),
      warningsOnCreate: csiStorageCapacityWarnings,
      validateUpdate: validateCsiStorageCapacityUpdate,
      warningsOnUpdate: csiStorageCapacityWarnings,
    }),
  }),
};

/** `allowInvalidValues` accepts invalid label values in the selector: the stored object has some. */
function validateCsiStorageCapacity(object: JsonObject, allowInvalidValues = false): FieldIssue[] {
  const className = textAt(object, 'storageClassName');
  const issues = [
    ...validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA),
    ...validateLabelSelectorObject(selectorAt(object, 'nodeTopology'), TOPOLOGY, { allowInvalidValues }),
    ...checkDns1123Subdomain(className).map((complaint) => invalid(CLASS, className, complaint)),
  ];
  const capacity = fieldAt(object, 'capacity');
  if (capacity === undefined) return issues;
  const amount = amountOf(capacity);
  if (quantitySign(amount) < 0)
    issues.push(invalid(FieldPath.of('capacity'), formatQuantity(amount), 'must be greater than or equal to 0'));
  return issues;
}

function validateCsiStorageCapacityUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const hadInvalid = validateLabelSelectorObject(selectorAt(old, 'nodeTopology'), undefined).length > 0;
  const issues = [...validateCsiStorageCapacity(object, hadInvalid), ...validateMetaUpdate(object, old)];
  const topology = objectAt(object, 'nodeTopology') ?? null;
  if (!equalJson(topology, objectAt(old, 'nodeTopology') ?? null))
    issues.push(declared(invalid(TOPOLOGY, topology, FIELD_IMMUTABLE)));
  const className = textAt(object, 'storageClassName');
  if (className !== textAt(old, 'storageClassName')) issues.push(invalid(CLASS, className, FIELD_IMMUTABLE));
  return issues;
}

function csiStorageCapacityWarnings(object: JsonObject): readonly string[] {
  const topology = objectAt(object, 'nodeTopology');
  return topology === undefined ? [] : nodeLabelSelectorWarnings(topology, TOPOLOGY);
}
