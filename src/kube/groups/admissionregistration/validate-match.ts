/**
 * Validation of the fields that select requests: rules, selectors and match conditions of webhooks, policies and
 * bindings.
 */
import { sharedCompiler } from '../../../admission/expression-compiler.ts';
import { fieldAt, listAt, objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  type LabelSelectorObject,
  validateLabelSelectorObject,
} from '../../../apimachinery/selectors/label-selector-object.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { validateLabelName } from '../../../apimachinery/validation/label-syntax.ts';
import { checkPathSegmentName } from '../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { BOOL } from '../../../cel/types.ts';
import { validateOptionalChoice } from '../../shared/choices.ts';
import { validateExpression } from './validate-expression.ts';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const MAX_CONDITIONS = 64;

export function validateMatchPolicy(object: JsonObject, path: FieldPath): FieldIssue[] {
  return validateOptionalChoice(object, 'matchPolicy', MATCH_POLICIES, path);
}

/** Validates `namespaceSelector` and `objectSelector`. */
export function validateSelectors(object: JsonObject, path: FieldPath, allowInvalidValues = false): FieldIssue[] {
  return ['namespaceSelector', 'objectSelector'].flatMap((name) =>
    validateLabelSelectorObject(objectAt(object, name) as LabelSelectorObject | undefined, path.child(name), {
      allowInvalidValues,
    }),
  );
}

// ── Rules ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function validateRule(rule: JsonObject, path: FieldPath): FieldIssue[] {
  const operations = textsAt(rule, 'operations');
  const issues = validateAny(operations, path.child('operations'), 'operations');
  for (const [i, operation] of operations.entries())
    if (!OPERATIONS.includes(operation))
      issues.push(declared(notSupported(path.child('operations').index(i), operation, OPERATIONS)));
  addIssues(issues, validateAny(textsAt(rule, 'apiGroups'), path.child('apiGroups'), 'API groups'));
  const versions = textsAt(rule, 'apiVersions');
  addIssues(issues, validateAny(versions, path.child('apiVersions'), 'API versions'));
  for (const [i, version] of versions.entries())
    if (version === '') issues.push(required(path.child('apiVersions').index(i), ''));
  addIssues(issues, validateResources(textsAt(rule, 'resources'), path.child('resources')));
  issues.push(...validateOptionalChoice(rule, 'scope', SCOPES, path));
  return issues;
}

/** The list must not be empty, and `*` excludes other entries. */
function validateAny(texts: readonly string[], path: FieldPath, what: string): FieldIssue[] {
  if (texts.length === 0) return [required(path, '')];
  if (texts.length === 1 || !texts.includes('*')) return [];
  return [invalid(path, [...texts], `if '*' is present, must not specify other ${what}`)];
}

function validateResources(resources: readonly string[], path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = resources.length === 0 ? [required(path, '')] : [];
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  // Refers to the last entry without a subresource, as in kube-apiserver.
  let isPlain = false;
  for (const [i, text] of resources.entries()) {
    const slash = text.indexOf('/');
    if (text === '') issues.push(required(path.index(i), ''));
    else if (slash < 0) isPlain = text !== '*';
    else {
      const [resource, subresource] = [text.slice(0, slash), text.slice(slash + 1)];
      if (wholeResources.has(resource))
        issues.push(invalid(path.index(i), text, `if '${resource}/*' is present, must not specify ${text}`));
      if (wholeSubresources.has(subresource))
        issues.push(invalid(path.index(i), text, `if '*/${subresource}' is present, must not specify ${text}`));
      if (subresource === '*') wholeResources.add(resource);
      if (resource === '*') wholeSubresources.add(subresource);
    }
  }
  if (resources.length > 1 && resources.includes('*/*'))
    issues.push(invalid(path, [...resources], "if '*/*' is present, must not specify other resources"));
  if (resources.includes('*') && isPlain)
    issues.push(
      invalid(path, [...resources], "if '*' is present, must not specify other resources without subresources"),
    );
  return issues;
}

// ── Resources of policies and bindings ───────────────────────────────────────────────────────────────────────────────

export function validateMatchResources(match: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  for (const name of ['matchPolicy', 'namespaceSelector', 'objectSelector'] as const) {
    if (fieldAt(match, name) === undefined) issues.push(required(path.child(name), ''));
    else if (name === 'matchPolicy') issues.push(...validateMatchPolicy(match, path));
    else addIssues(issues, validateLabelSelectorObject(objectAt(match, name) as LabelSelectorObject, path.child(name)));
  }
  for (const name of ['resourceRules', 'excludeResourceRules'] as const)
    for (const [i, rule] of objectsAt(match, name).entries())
      addIssues(issues, validateNamedRule(rule, path.child(name).index(i)));
  return issues;
}

function validateNamedRule(rule: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const seen = new Set<string>();
  for (const [i, name] of textsAt(rule, 'resourceNames').entries()) {
    const at = path.child('resourceNames').index(i);
    for (const complaint of checkPathSegmentName(name)) issues.push(invalid(at, name, complaint));
    if (seen.has(name)) issues.push(duplicate(at, name));
    seen.add(name);
  }
  addIssues(issues, validateRule(rule, path));
  return issues;
}

const MUTATING_OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** A mutating policy must not match DELETE. Issues have one path for all rules, below `path`. */
export function validateMutatingOperations(match: JsonObject, path: FieldPath): FieldIssue[] {
  return objectsAt(match, 'resourceRules').flatMap((rule) =>
    textsAt(rule, 'operations')
      .filter((operation) => !MUTATING_OPERATIONS.includes(operation))
      .map((operation) =>
        declared(notSupported(path.child('resourceRules', 'operations'), operation, MUTATING_OPERATIONS)),
      ),
  );
}

// ── Conditions ───────────────────────────────────────────────────────────────────────────────────────────────────────

export function validateMatchConditions(owner: JsonObject, path: FieldPath, hasParams: boolean): FieldIssue[] {
  const count = listAt(owner, 'matchConditions').length;
  const at = path.child('matchConditions');
  const issues: FieldIssue[] = count > MAX_CONDITIONS ? [tooMany(at, count, MAX_CONDITIONS)] : [];
  const names = new Set<string>();
  for (const [i, condition] of objectsAt(owner, 'matchConditions').entries()) {
    const own = at.index(i);
    const expression = textAt(condition, 'expression').trim();
    if (expression === '') issues.push(required(own.child('expression'), ''));
    else {
      const rules = {
        scope: { params: hasParams, authorizer: true },
        results: [BOOL],
        path: own.child('expression'),
      };
      addIssues(issues, validateExpression(sharedCompiler(), expression, rules));
    }
    const name = textAt(condition, 'name');
    if (name === '') issues.push(required(own.child('name'), ''));
    else issues.push(...validateLabelName(name, own.child('name')));
    if (name !== '' && names.has(name)) issues.push(duplicate(own.child('name'), name));
    names.add(name);
  }
  return issues;
}
