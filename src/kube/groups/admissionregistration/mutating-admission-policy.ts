/** The kind MutatingAdmissionPolicy. */
import {
  APPLIED_OBJECT,
  ExpressionCompiler,
  type ExpressionScope,
  PATCH_LIST,
} from '../../../admission/expression-compiler.ts';
import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { withWriteCheck } from '../../../server/resource/checked-writes.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { validateChoice } from '../../shared/choices.ts';
import { admissionStrategy, mutatingDefinition } from './admission-definitions.ts';
import { policyAccess } from './parameter-access.ts';
import {
  hasParams,
  PARAM_KIND,
  setPolicyDefaults,
  validateMeta,
  validatePolicySpec,
  validateVariables,
} from './policy-rules.ts';
import { validateExpression } from './validate-expression.ts';
import { REINVOCATION_POLICIES } from './webhook-rules.ts';

const SPEC = FieldPath.of('spec');
const PATCH_TYPES = ['ApplyConfiguration', 'JSONPatch'];

const mutatingPolicyTable: () => TableDefinition = tableOf(
  NAME,
  column('Mutations', 'How many mutations it holds.', (object) => objectsAt(object, 'spec', 'mutations').length, {
    type: 'integer',
  }),
  PARAM_KIND,
  AGE,
);

export const MUTATING_ADMISSION_POLICY: KubeResource = {
  definition: mutatingDefinition({
    plural: 'mutatingadmissionpolicies',
    kind: 'MutatingAdmissionPolicy',
    table: mutatingPolicyTable,
    setDefaults: setPolicyDefaults,
    setAlphaDefaults: setPolicyDefaults,
    strategy: admissionStrategy({
      validate: (policy) => validateMutatingPolicy(policy),
      validateUpdate: validateMutatingPolicy,
    }),
  }),
  wrapStore: ({ store }, context) => withWriteCheck(store, policyAccess(context)),
};

/** `old` is the stored policy; undefined on create. */
export function validateMutatingPolicy(policy: JsonObject, old?: JsonObject): FieldIssue[] {
  const spec = objectAt(policy, 'spec') ?? {};
  const compiler = new ExpressionCompiler(true);
  const issues = [
    ...validateMeta(policy),
    ...validatePolicySpec(spec, old, true),
    ...validateVariables(spec, compiler),
  ];
  const mutations = objectsAt(spec, 'mutations');
  if (mutations.length === 0)
    issues.push(required(SPEC.child('mutations'), 'mutations must contain at least one item'));
  for (const [i, mutation] of mutations.entries())
    addIssues(issues, validateMutation(mutation, hasParams(spec), compiler, SPEC.child('mutations').index(i)));
  validateChoice(spec, 'reinvocationPolicy', REINVOCATION_POLICIES, SPEC, issues);
  return issues;
}

function validateMutation(
  mutation: JsonObject,
  params: boolean,
  compiler: ExpressionCompiler,
  path: FieldPath,
): FieldIssue[] {
  const type = textAt(mutation, 'patchType');
  if (type === '') return [required(path.child('patchType'), '')];
  if (!PATCH_TYPES.includes(type)) return [declared(notSupported(path.child('patchType'), type, PATCH_TYPES))];
  const isPatch = type === 'JSONPatch';
  const [own, other] = isPatch ? ['jsonPatch', 'applyConfiguration'] : ['applyConfiguration', 'jsonPatch'];
  const issues: FieldIssue[] = [];
  const given = objectAt(mutation, own as string);
  if (given === undefined)
    issues.push(required(path.child(own as string), `must be specified when patchType is ${type}`));
  else {
    const at = path.child(own as string, 'expression');
    const expression = textAt(given, 'expression').trim();
    const scope: ExpressionScope = { params, authorizer: true, patches: true };
    if (expression === '') issues.push(required(at, ''));
    else {
      const results = [isPatch ? PATCH_LIST : APPLIED_OBJECT];
      addIssues(issues, validateExpression(compiler, expression, { scope, results, path: at }));
    }
  }
  if (objectAt(mutation, other as string) !== undefined)
    issues.push(invalid(path.child(other as string), `{${other}}`, `must not be specified when patchType is ${type}`));
  return issues;
}
