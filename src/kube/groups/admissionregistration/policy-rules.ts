/** Rules that ValidatingAdmissionPolicy and MutatingAdmissionPolicy share: defaults, a column and validation. */
import type { ExpressionCompiler, ExpressionScope } from '../../../admission/expression-compiler.ts';
import {
  ensureObject,
  fieldAt,
  listAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkDns1035Label, checkDns1123Subdomain } from '../../../apimachinery/validation/name-syntax.ts';
import { validateObjectMeta } from '../../../apimachinery/validation/validate-object-meta.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { type Column, column } from '../../../server/resource/columns.ts';
import { metaFacts, setDefault } from '../../../server/resource/strategy-fields.ts';
import { setMatchResourcesDefaults } from './match-defaults.ts';
import { issuesOf } from './validate-expression.ts';
import { validateMatchConditions, validateMatchResources, validateMutatingOperations } from './validate-match.ts';
import { FAILURE_POLICIES } from './webhook-rules.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');

export const PARAM_KIND: Column = column('ParamKind', 'The kind of its parameters.', (object) => {
  const kind = objectAt(object, 'spec', 'paramKind');
  return kind === undefined ? '<unset>' : `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}`;
});

export function setPolicyDefaults(policy: JsonObject): void {
  const spec = ensureObject(policy, 'spec');
  setDefault(spec, 'failurePolicy', 'Fail');
  setMatchResourcesDefaults(objectAt(spec, 'matchConstraints'));
}

/** Validates the metadata of a policy or binding. */
export function validateMeta(object: JsonObject): FieldIssue[] {
  return validateObjectMeta(metaFacts(object), { namespaced: false, name: nameIsDnsSubdomain }, METADATA);
}

/** Reports whether the policy has parameters. */
export function hasParams(spec: JsonObject): boolean {
  return objectAt(spec, 'paramKind') !== undefined;
}

/**
 * Validates the fields that both kinds have, except variables. `old` is the stored policy; undefined on create. Match
 * conditions are validated only if they or the kind of the parameters changed.
 */
export function validatePolicySpec(spec: JsonObject, old: JsonObject | undefined, mutating: boolean): FieldIssue[] {
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

/** Validates the variables and declares them for the expressions that follow. */
export function validateVariables(spec: JsonObject, compiler: ExpressionCompiler): FieldIssue[] {
  const scope: ExpressionScope = { params: hasParams(spec), authorizer: true };
  return objectsAt(spec, 'variables').flatMap((variable, i) => {
    const path = SPEC.child('variables').index(i);
    const name = textAt(variable, 'name');
    const issues: FieldIssue[] = [];
    if (name.trim() === '') issues.push(required(path.child('name'), 'name is not specified'));
    else if (!IDENTIFIER.test(name) || RESERVED.has(name))
      issues.push(invalid(path.child('name'), name, 'must be a valid CEL identifier'));
    const expression = textAt(variable, 'expression');
    if (expression.trim() === '') issues.push(required(path.child('expression'), 'expression is not specified'));
    else
      addIssues(
        issues,
        issuesOf(compiler.declareVariable(name, expression, scope), expression, path.child('expression')),
      );
    return issues;
  });
}
