/** The kind MutatingAdmissionPolicyBinding. */
import { objectAt } from '../../../apimachinery/meta/object-fields.ts';
import { addIssues, type FieldIssue } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { withWriteCheck } from '../../../server/resource/checked-writes.ts';
import { setDefault } from '../../../server/resource/strategy-fields.ts';
import type { KubeResource } from '../../kube-context.ts';
import { admissionStrategy, mutatingDefinition } from './admission-definitions.ts';
import { policyBindingTable, setBindingDefaults, validateBinding } from './binding-rules.ts';
import { bindingAccess } from './parameter-access.ts';
import { validateMutatingOperations } from './validate-match.ts';

export const MUTATING_ADMISSION_POLICY_BINDING: KubeResource = {
  definition: mutatingDefinition({
    plural: 'mutatingadmissionpolicybindings',
    kind: 'MutatingAdmissionPolicyBinding',
    table: policyBindingTable,
    setDefaults: setBindingDefaults,
    setAlphaDefaults: setAlphaBindingDefaults,
    strategy: admissionStrategy({ validate: validateMutatingBinding, validateUpdate: validateMutatingBinding }),
  }),
  wrapStore: ({ store }, context) => withWriteCheck(store, bindingAccess(context, 'mutatingadmissionpolicies')),
};

/** v1alpha1 has a default for parameterNotFoundAction; the other versions require the field. */
function setAlphaBindingDefaults(binding: JsonObject): void {
  const reference = objectAt(binding, 'spec', 'paramRef');
  if (reference !== undefined) setDefault(reference, 'parameterNotFoundAction', 'Deny');
  setBindingDefaults(binding);
}

export function validateMutatingBinding(binding: JsonObject): FieldIssue[] {
  const spec = objectAt(binding, 'spec') ?? {};
  const issues = validateBinding(binding, spec);
  const match = objectAt(spec, 'matchResources');
  if (match !== undefined) addIssues(issues, validateMutatingOperations(match, FieldPath.of('spec', 'matchResources')));
  return issues;
}
