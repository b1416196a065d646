/**
 * The kind Namespace. Invariant: its phase is Active before deletionTimestamp is set and Terminating afterwards. It is
 * removed when both spec.finalizers and metadata.finalizers are empty.
 */

import { ensureObject, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkQualifiedName } from '../../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsLabel } from '../../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { ensureMeta, keepSpec, keepStatus, metaFacts } from '../../../server/resource/strategy-fields.ts';
import { updateSubresource } from '../../../server/resource/update-subresource.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../shared/built-in.ts';
import { checkKubeFinalizerName, validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { wrapNamespaceStore } from './namespace-store.ts';

const METADATA_NAME_LABEL = 'kubernetes.io/metadata.name';
/** The finalizer of every namespace. The namespace controller removes it when the namespace is empty. */
const FINALIZER = 'kubernetes';

const METADATA = FieldPath.of('metadata');
const SPEC_FINALIZERS = FieldPath.of('spec', 'finalizers');
const STATUS_PHASE = FieldPath.of('status', 'Phase');

const namespaceTable: () => TableDefinition = tableOf(
  NAME,
  column('Status', 'Active, or Terminating while it is being emptied.', (object) => textAt(object, 'status', 'phase')),
  AGE,
);

const NAMESPACE_STRATEGY: Strategy = strategyWithDefaults({
  prepareForCreate: prepareNamespaceForCreate,
  validate: validateNamespace,
  prepareForUpdate: prepareNamespaceForUpdate,
  validateUpdate: validateNamespaceUpdate,
  canonicalize: canonicalizeNamespace,
  holdsDeletion: namespaceIsHeld,
  prepareForDeletion: prepareNamespaceForDeletion,
  returnsDeletedObject: true,
});

export const NAMESPACE: KubeResource = {
  definition: storedResource({
    plural: 'namespaces',
    shortNames: ['ns'],
    scope: 'Cluster',
    isNamespaces: true,
    versions: [
      builtInVersion({
        group: '',
        version: 'v1',
        kind: 'Namespace',
        setDefaults: setNamespaceDefaults,
        table: namespaceTable,
        selectableFields: ['status.phase'],
      }),
    ],
    strategy: NAMESPACE_STRATEGY,
    subresources: [
      statusSubresource(NAMESPACE_STRATEGY, {
        prepareForUpdate: keepSpec,
        validateUpdate: validateNamespaceStatusUpdate,
      }),
      updateSubresource(
        'finalize',
        {
          ...NAMESPACE_STRATEGY,
          prepareForUpdate: keepStatus,
          validateUpdate: validateNamespaceFinalizeUpdate,
        },
        { readable: false },
      ),
    ],
  }),
  wrapStore: wrapNamespaceStore,
};

/**
 * Sets the label with the name, and the phase. For a generated name, which does not exist yet, `canonicalizeNamespace`
 * sets the label later.
 */
function setNamespaceDefaults(object: JsonObject): void {
  if (textAt(object, 'metadata', 'name') !== '') canonicalizeNamespace(object);
  const status = ensureObject(object, 'status');
  if (textAt(status, 'phase') === '') status['phase'] = 'Active';
}

function canonicalizeNamespace(object: JsonObject): void {
  ensureObject(ensureMeta(object), 'labels')[METADATA_NAME_LABEL] = textAt(object, 'metadata', 'name');
}

function prepareNamespaceForCreate(object: JsonObject): void {
  object['status'] = { phase: 'Active' };
  const finalizers = textsAt(object, 'spec', 'finalizers');
  if (!finalizers.includes(FINALIZER)) ensureObject(object, 'spec')['finalizers'] = [...finalizers, FINALIZER];
}

/** Keeps spec and status: `finalize` changes spec.finalizers, `status` changes the status. */
function prepareNamespaceForUpdate(object: JsonObject, old: JsonObject): void {
  keepSpec(object, old);
  keepStatus(object, old);
}

function validateNamespace(object: JsonObject): FieldIssue[] {
  return [
    ...validateKubeMeta(metaFacts(object), { namespaced: false, name: nameIsDnsLabel }, METADATA),
    ...textsAt(object, 'spec', 'finalizers').flatMap((name) => validateFinalizer(name, SPEC_FINALIZERS)),
  ];
}

function validateNamespaceUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [...validateNamespace(object), ...validateMetaUpdate(object, old)];
}

/** The phase must agree with deletionTimestamp. */
function validateNamespaceStatusUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateMetaUpdate(object, old);
  const phase = textAt(object, 'status', 'phase');
  if (textAt(object, 'metadata', 'deletionTimestamp') === '') {
    if (phase !== 'Active')
      issues.push(invalid(STATUS_PHASE, phase, "may only be 'Active' if `deletionTimestamp` is empty"));
  } else if (phase !== 'Terminating')
    issues.push(invalid(STATUS_PHASE, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty"));
  return issues;
}

function validateNamespaceFinalizeUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [
    ...validateMetaUpdate(object, old),
    ...textsAt(object, 'spec', 'finalizers').flatMap((name, i) => validateFinalizer(name, SPEC_FINALIZERS.index(i))),
  ];
}

/** True while spec.finalizers is not empty, and for the first delete request, which only sets deletionTimestamp. */
function namespaceIsHeld(object: JsonObject): boolean {
  return textsAt(object, 'spec', 'finalizers').length > 0 || textAt(object, 'metadata', 'deletionTimestamp') === '';
}

/**
 * Sets the phase to Terminating. Removes deletionGracePeriodSeconds, except for the delete that removes the namespace:
 * like any other object's, its grace period of zero is part of the answer.
 */
function prepareNamespaceForDeletion(object: JsonObject): void {
  const isEmptied =
    textAt(object, 'status', 'phase') === 'Terminating' && textsAt(object, 'spec', 'finalizers').length === 0;
  ensureObject(object, 'status')['phase'] = 'Terminating';
  if (!isEmptied) delete ensureMeta(object)['deletionGracePeriodSeconds'];
}

function validateFinalizer(name: string, path: FieldPath): FieldIssue[] {
  return [...checkQualifiedName(name), ...checkKubeFinalizerName(name)].map((complaint) =>
    invalid(path, name, complaint),
  );
}
