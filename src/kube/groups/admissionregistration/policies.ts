/**
 * Admission policies, validating and mutating. Invariant: pure; the issues are the reference's, in its order, those of expressions included: what they may read depends on
 * where they stand.
 */
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
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkDns1035Label, checkDns1123Subdomain } from '../../../apimachinery/validation/name-syntax.ts';
import { isLongerThan } from '../../../apimachinery/validation/text-rules.ts';
import { validateObjectMeta } from '../../../apimachinery/validation/validate-object-meta.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { BOOL, NULL, STRING } from '../../../cel/types.ts';
import { metaFacts } from '../../shared/object-fields.ts';
import { APPLIED_OBJECT, ExpressionCompiler, PATCH_LIST, type Scope, statelessCompiler } from './expressions.ts';
import { validateMatchConditions, validateMatchResources, validateMutatingOperations } from './match.ts';
import { FAILURE_POLICIES, REINVOCATION_POLICIES } from './webhooks.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const PATCH_TYPES = ['ApplyConfiguration', 'JSONPatch'];
const MAX_ANNOTATIONS = 20;
const MAX_ANNOTATION_BYTES = 5 * 1024;
const NOTHING_TO_DO = 'validations or auditAnnotations must contain at least one item';

/** `old`: undefined for a new one. Conditions that did not change, and whose parameters did not, are not judged again. */
export function validateValidatingPolicy(policy: JsonObject, old?: JsonObject): FieldIssue[] {
  const spec = objectAt(policy, 'spec') ?? {};
  const compiler = listAt(spec, 'variables').length > 0 ? new ExpressionCompiler(true) : statelessCompiler();
  const issues = [...validateMeta(policy), ...validateCommon(spec, old, false), ...validateVariables(spec, compiler)];
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

export function validateMutatingPolicy(policy: JsonObject, old?: JsonObject): FieldIssue[] {
  const spec = objectAt(policy, 'spec') ?? {};
  const compiler = new ExpressionCompiler(true);
  const issues = [...validateMeta(policy), ...validateCommon(spec, old, true), ...validateVariables(spec, compiler)];
  const mutations = objectsAt(spec, 'mutations');
  if (mutations.length === 0)
    issues.push(required(SPEC.child('mutations'), 'mutations must contain at least one item'));
  for (const [i, mutation] of mutations.entries())
    addIssues(issues, validateMutation(mutation, hasParams(spec), compiler, SPEC.child('mutations').index(i)));
  const reinvocation = textAt(spec, 'reinvocationPolicy');
  const path = SPEC.child('reinvocationPolicy');
  if (reinvocation === '') issues.push(required(path, ''));
  else if (!REINVOCATION_POLICIES.includes(reinvocation))
    issues.push(declared(notSupported(path, reinvocation, REINVOCATION_POLICIES)));
  return issues;
}

export function validateMeta(object: JsonObject): FieldIssue[] {
  return validateObjectMeta(metaFacts(object), { namespaced: false, name: nameIsDnsSubdomain }, METADATA);
}

function hasParams(spec: JsonObject): boolean {
  return objectAt(spec, 'paramKind') !== undefined;
}

// ── What both have ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function validateCommon(spec: JsonObject, old: JsonObject | undefined, mutating: boolean): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const failure = fieldAt(spec, 'failurePolicy');
  if (failure === undefined) issues.push(required(SPEC.child('failurePolicy'), ''));
  else if (!FAILURE_POLICIES.includes(String(failure)))
    issues.push(declared(notSupported(SPEC.child('failurePolicy'), failure, FAILURE_POLICIES)));
  const kind = objectAt(spec, 'paramKind');
  if (kind !== undefined) addIssues(issues, validateParamKind(kind, SPEC.child('paramKind')));
  const match = objectAt(spec, 'matchConstraints');
  const matchPath = SPEC.child('matchConstraints');
  if (match === undefined) issues.push(required(matchPath, ''));
  else {
    addIssues(issues, validateMatchResources(match, matchPath));
    if (listAt(match, 'resourceRules').length === 0) issues.push(required(matchPath.child('resourceRules'), ''));
    if (mutating) addIssues(issues, validateMutatingOperations(match, matchPath));
  }
  if (old === undefined || !['paramKind', 'matchConditions'].every((name) => sameField(spec, old, name)))
    addIssues(issues, validateMatchConditions(spec, SPEC, kind !== undefined));
  return issues;
}

function sameField(spec: JsonObject, old: JsonObject, name: string): boolean {
  return equalJson(fieldAt(spec, name) ?? null, fieldAt(old, 'spec', name) ?? null);
}

function validateParamKind(kind: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const at = path.child('apiVersion');
  const apiVersion = textAt(kind, 'apiVersion');
  const [first = '', second, ...more] = apiVersion.split('/');
  if (apiVersion === '') issues.push(required(at, ''));
  else if (more.length > 0) issues.push(invalid(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else {
    const [group, version] = second === undefined ? ['', first] : [first, second];
    const wrong = group === '' ? [] : checkDns1123Subdomain(group);
    if (wrong.length > 0) issues.push(invalid(at, group, wrong.join(',')));
    const complaints = version === '' ? [] : checkDns1035Label(version);
    if (version === '') issues.push(invalid(at, apiVersion, 'version must be specified'));
    else if (complaints.length > 0) issues.push(invalid(at, version, complaints.join(',')));
  }
  const name = textAt(kind, 'kind');
  const complaints = name === '' ? [] : checkDns1035Label(name.toLowerCase());
  if (name === '') issues.push(required(path.child('kind'), ''));
  else if (complaints.length > 0)
    issues.push(
      invalid(path.child('kind'), name, `may have mixed case, but should otherwise match: ${complaints.join(',')}`),
    );
  return issues;
}

const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

function validateVariables(spec: JsonObject, compiler: ExpressionCompiler): FieldIssue[] {
  const scope: Scope = { params: hasParams(spec), authorizer: true };
  return objectsAt(spec, 'variables').flatMap((variable, i) => {
    const path = SPEC.child('variables').index(i);
    const name = textAt(variable, 'name');
    const issues: FieldIssue[] = [];
    if (name.trim() === '') issues.push(required(path.child('name'), 'name is not specified'));
    else if (!IDENTIFIER.test(name) || RESERVED.has(name))
      issues.push(invalid(path.child('name'), name, 'must be a valid CEL identifier'));
    const expression = textAt(variable, 'expression');
    if (expression.trim() === '') issues.push(required(path.child('expression'), 'expression is not specified'));
    else addIssues(issues, compiler.declareVariable(name, expression, scope, path.child('expression')));
    return issues;
  });
}

// ── Validations ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

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
  else addIssues(issues, compiler.check(expression, { params, authorizer: true }, [BOOL], expressionPath));
  const text = textAt(validation, 'messageExpression');
  const textPath = path.child('messageExpression');
  if (text.trim() !== '') addIssues(issues, compiler.check(text, { params, authorizer: false }, [STRING], textPath));
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
    const shown = annotations.map((one) => ({
      Key: textAt(one, 'key'),
      ValueExpression: textAt(one, 'valueExpression'),
    }));
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
  return compiler.check(trimmed, { params, authorizer: true }, [STRING, NULL], path, expression);
}

// ── Mutations ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

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
    const scope: Scope = { params, authorizer: true, patches: true };
    if (expression === '') issues.push(required(at, ''));
    else addIssues(issues, compiler.check(expression, scope, [isPatch ? PATCH_LIST : APPLIED_OBJECT], at));
  }
  if (objectAt(mutation, other as string) !== undefined)
    issues.push(invalid(path.child(other as string), `{${other}}`, `must not be specified when patchType is ${type}`));
  return issues;
}
