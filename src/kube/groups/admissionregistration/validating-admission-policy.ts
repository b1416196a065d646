/** The kind ValidatingAdmissionPolicy. */

import { ExpressionCompiler, sharedCompiler } from '../../../admission/expression-compiler.ts';
import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, listAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { validateLabelName } from '../../../apimachinery/validation/label-syntax.ts';
import { isLongerThan } from '../../../apimachinery/validation/text-rules.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { BOOL, NULL, STRING } from '../../../cel/types.ts';
import { admissionregistrationShapes } from '../../../kinds/shapes/admissionregistration.ts';
import { withWriteCheck } from '../../../server/resource/checked-writes.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { RESETS_SPEC_AND_METADATA } from '../../../server/resource/reset-fields.ts';
import { storedResource } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { clearStatus, keepAllButStatus, keepStatus } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { statusSubresource } from '../../shared/built-in.ts';
import { validateConditions } from '../../shared/conditions.ts';
import {
  ADMISSION_CATEGORIES,
  admissionStrategy,
  admissionVersion,
  staticNameWarnings,
} from './admission-definitions.ts';
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

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const MAX_ANNOTATIONS = 20;
const MAX_ANNOTATION_BYTES = 5 * 1024;
const NOTHING_TO_DO = 'validations or auditAnnotations must contain at least one item';

export const validatingPolicyTable: () => TableDefinition = tableOf(
  NAME,
  column('Validations', 'How many validations it holds.', (object) => objectsAt(object, 'spec', 'validations').length, {
    type: 'integer',
  }),
  PARAM_KIND,
  AGE,
);

const VALIDATING_POLICY_STRATEGY: Strategy = admissionStrategy({
  prepareForCreate: clearStatus,
  validate: (policy) => validateValidatingPolicy(policy),
  prepareForUpdate: keepStatus,
  validateUpdate: validateValidatingPolicy,
});

export const VALIDATING_ADMISSION_POLICY: KubeResource = {
  definition: storedResource({
    plural: 'validatingadmissionpolicies',
    categories: ADMISSION_CATEGORIES,
    scope: 'Cluster',
    versions: [
      admissionVersion({
        version: 'v1',
        kind: 'ValidatingAdmissionPolicy',
        setDefaults: setPolicyDefaults,
        table: validatingPolicyTable,
      }),
    ],
    strategy: VALIDATING_POLICY_STRATEGY,
    subresources: [
      statusSubresource(VALIDATING_POLICY_STRATEGY, {
        resetFields: RESETS_SPEC_AND_METADATA,
        prepareForUpdate: keepAllButStatus,
        validateUpdate: validatePolicyStatus,
        warningsOnUpdate: staticNameWarnings,
      }),
    ],
  }),
  wrapStore: ({ store }, context) => withWriteCheck(store, policyAccess(context)),
};

/** `old` is the stored policy; undefined on create. */
export function validateValidatingPolicy(policy: JsonObject, old?: JsonObject): FieldIssue[] {
  const spec = objectAt(policy, 'spec') ?? {};
  const compiler = listAt(spec, 'variables').length > 0 ? new ExpressionCompiler(true) : sharedCompiler();
  const issues = [
    ...validateMeta(policy),
    ...validatePolicySpec(spec, old, false),
    ...validateVariables(spec, compiler),
  ];
  if (listAt(spec, 'validations').length + listAt(spec, 'auditAnnotations').length === 0) {
    issues.push(required(SPEC.child('validations'), NOTHING_TO_DO));
    issues.push(required(SPEC.child('auditAnnotations'), NOTHING_TO_DO));
    return issues;
  }
  for (const [i, validation] of objectsAt(spec, 'validations').entries())
    addIssues(issues, validateValidation(validation, hasParams(spec), compiler, SPEC.child('validations').index(i)));
  addIssues(issues, validateAnnotations(policy, spec, compiler));
  return issues;
}

export function validatePolicyStatus(policy: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const path = STATUS.child('typeChecking', 'expressionWarnings');
  for (const [i, warning] of objectsAt(policy, 'status', 'typeChecking', 'expressionWarnings').entries()) {
    if (textAt(warning, 'warning') === '') issues.push(required(path.index(i).child('warning'), ''));
    if (textAt(warning, 'fieldRef').trim() === '') issues.push(required(path.index(i).child('fieldRef'), ''));
  }
  addIssues(issues, validateConditions(objectsAt(policy, 'status', 'conditions'), STATUS.child('conditions')));
  return issues;
}

function validateValidation(
  validation: JsonObject,
  params: boolean,
  compiler: ExpressionCompiler,
  path: FieldPath,
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const expression = textAt(validation, 'expression');
  const expressionPath = path.child('expression');
  if (expression.trim() === '') issues.push(required(expressionPath, 'expression is not specified'));
  else
    addIssues(
      issues,
      validateExpression(compiler, expression, {
        scope: { params, authorizer: true },
        results: [BOOL],
        path: expressionPath,
      }),
    );
  const text = textAt(validation, 'messageExpression');
  const textPath = path.child('messageExpression');
  if (text.trim() !== '')
    addIssues(
      issues,
      validateExpression(compiler, text, { scope: { params, authorizer: false }, results: [STRING], path: textPath }),
    );
  else if (text !== '') issues.push(invalid(textPath, text, 'must be non-empty if specified'));
  const message = textAt(validation, 'message');
  if (message !== '' && message.trim() === '')
    issues.push(invalid(path.child('message'), message, 'must be non-empty if specified'));
  else if (/[\n\r]/.test(message.trim()))
    issues.push(invalid(path.child('message'), message, 'must not contain line breaks'));
  const reason = fieldAt(validation, 'reason');
  if (typeof reason === 'string' && !REASONS.includes(reason))
    issues.push(declared(notSupported(path.child('reason'), reason, REASONS)));
  return issues;
}

function validateAnnotations(policy: JsonObject, spec: JsonObject, compiler: ExpressionCompiler): FieldIssue[] {
  const annotations = objectsAt(spec, 'auditAnnotations');
  const path = SPEC.child('auditAnnotations');
  const issues: FieldIssue[] = [];
  if (annotations.length > MAX_ANNOTATIONS) {
    const shown = annotations.map((one) => goValue(admissionregistrationShapes, 'AuditAnnotation', one));
    issues.push(declared(invalid(path, shown, `must not have more than ${MAX_ANNOTATIONS} auditAnnotations`)));
  }
  const keys = new Set<string>();
  const name = textAt(policy, 'metadata', 'name');
  for (const [i, annotation] of annotations.entries()) {
    const own = path.index(i);
    const key = textAt(annotation, 'key');
    if (name === '') issues.push(invalid(own.child('key'), key, 'requires metadata.name be non-empty'));
    else issues.push(...validateLabelName(`${name}/${key}`, own.child('key')));
    addIssues(issues, validateAnnotationValue(annotation, hasParams(spec), compiler, own.child('valueExpression')));
    if (keys.has(key)) issues.push(duplicate(own.child('key'), key));
    keys.add(key);
  }
  return issues;
}

function validateAnnotationValue(
  annotation: JsonObject,
  params: boolean,
  compiler: ExpressionCompiler,
  path: FieldPath,
): FieldIssue[] {
  const expression = textAt(annotation, 'valueExpression');
  const trimmed = expression.trim();
  if (trimmed === '') return [required(path, 'valueExpression is not specified')];
  if (isLongerThan(trimmed, MAX_ANNOTATION_BYTES))
    return [required(path, `must not exceed ${MAX_ANNOTATION_BYTES} bytes in length`)];
  return validateExpression(compiler, trimmed, {
    scope: { params, authorizer: true },
    results: [STRING, NULL],
    path,
    shown: expression,
  });
}
