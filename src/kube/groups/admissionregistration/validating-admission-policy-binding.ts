/** The kind ValidatingAdmissionPolicyBinding. */
import { listAt, objectAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  declared,
  duplicate,
  type FieldIssue,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { withWriteCheck } from '../../../server/resource/checked-writes.ts';
import { storedResource } from '../../../server/resource/stored-resource.ts';
import type { KubeResource } from '../../kube-context.ts';
import { ADMISSION_CATEGORIES, admissionStrategy, admissionVersion } from './admission-definitions.ts';
import { policyBindingTable, setBindingDefaults, validateBinding } from './binding-rules.ts';
import { bindingAccess } from './parameter-access.ts';

const ACTIONS = ['Audit', 'Deny', 'Warn'];

export const VALIDATING_ADMISSION_POLICY_BINDING: KubeResource = {
  definition: storedResource({
    plural: 'validatingadmissionpolicybindings',
    categories: ADMISSION_CATEGORIES,
    scope: 'Cluster',
    versions: [
      admissionVersion({
        version: 'v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        setDefaults: setBindingDefaults,
        table: policyBindingTable,
      }),
    ],
    strategy: admissionStrategy({ validate: validateValidatingBinding, validateUpdate: validateValidatingBinding }),
  }),
  wrapStore: ({ store }, context) => withWriteCheck(store, bindingAccess(context, 'validatingadmissionpolicies')),
};

export function validateValidatingBinding(binding: JsonObject): FieldIssue[] {
  const spec = objectAt(binding, 'spec') ?? {};
  return [...validateBinding(binding, spec), ...validateActions(spec, FieldPath.of('spec', 'validationActions'))];
}

function validateActions(spec: JsonObject, path: FieldPath): FieldIssue[] {
  const actions = textsAt(spec, 'validationActions');
  const issues: FieldIssue[] = [];
  const seen = new Set<string>();
  for (const [i, action] of actions.entries()) {
    if (!ACTIONS.includes(action)) issues.push(declared(notSupported(path.index(i), action, ACTIONS)));
    if (seen.has(action)) issues.push(declared(duplicate(path.index(i), action)));
    seen.add(action);
  }
  if (seen.has('Deny') && seen.has('Warn'))
    issues.push(
      invalid(
        path,
        [...actions],
        'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ),
    );
  if (listAt(spec, 'validationActions').length === 0)
    issues.push(required(path, 'at least one validation action is required'));
  return issues;
}
