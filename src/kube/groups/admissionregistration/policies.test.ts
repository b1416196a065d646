import { describe, expect, test } from 'vitest';
import { formatIssue } from '../../../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { policyBindingTable, setBindingDefaults } from './binding-rules.ts';
import { validateMutatingPolicy } from './mutating-admission-policy.ts';
import { validateMutatingBinding } from './mutating-admission-policy-binding.ts';
import { setPolicyDefaults } from './policy-rules.ts';
import {
  validatePolicyStatus,
  validateValidatingPolicy,
  validatingPolicyTable,
} from './validating-admission-policy.ts';
import { validateValidatingBinding } from './validating-admission-policy-binding.ts';

const RULE = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] };

function policy(spec: JsonObject): JsonObject {
  const object: JsonObject = {
    metadata: { name: 'p' },
    spec: { matchConstraints: { resourceRules: [RULE] }, ...spec },
  };
  setPolicyDefaults(object);
  return object;
}

const validating = (spec: JsonObject) =>
  validateValidatingPolicy(policy({ validations: [{ expression: 'true' }], ...spec })).map(formatIssue);
/** The first line of the issue of each expression, without path and value. */
const verdicts = (expressions: readonly string[], spec: JsonObject = {}) => {
  const found = validating({ validations: expressions.map((expression) => ({ expression })), ...spec });
  return expressions.map((_, i) => {
    const issue = found.find((text) => text.startsWith(`spec.validations[${i}].`));
    return issue?.split('\n')[0]?.replace(/^.*?": |^.*?Internal error: /, '') ?? 'ok';
  });
};

describe('ValidatingAdmissionPolicy', () => {
  test('declares object, oldObject, request, namespaceObject and authorizer', () => {
    expect(
      verdicts([
        'object.metadata.name == oldObject.metadata.name && request.userInfo.groups.exists(g, g == "x")',
        'namespaceObject.metadata.labels["x"] == "y" && authorizer.requestResource.check("delete").allowed()',
        'request.uid == ""',
        'params.x == 1',
        'object.spec',
        'int("x") == 1',
        'variables.x',
      ]),
    ).toEqual([
      'ok',
      'ok',
      "compilation failed: ERROR: <input>:1:8: undefined field 'uid'",
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')",
      'must evaluate to bool but got dyn',
      "program instantiation failed: type conversion error from 'string' to 'int'",
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')",
    ]);
  });

  test('declares params if it has a paramKind', () => {
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
    expect(verdicts(['params.data.x == "1"'], { paramKind })).toEqual(['ok']);
    expect(validating({ paramKind: { apiVersion: 'a/b/c', kind: '' } })).toEqual([
      'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      'spec.paramKind.kind: Required value',
    ]);
  });

  test('declares variables with their types for later expressions', () => {
    const variables = [
      { name: 'n', expression: '1' },
      { name: 'list', expression: '[variables.n]' },
      { name: 'opaque', expression: 'quantity("1")' },
      { name: 'broken', expression: 'nope' },
    ];
    expect(
      verdicts(
        [
          'variables.n == "x"',
          'variables.list[0] == 1',
          'variables.opaque == 1',
          'variables.broken == 1',
          'variables.later',
        ],
        { variables },
      ),
    ).toEqual([
      "compilation failed: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(int, string)'",
      'ok',
      'ok',
      'ok',
      "compilation failed: ERROR: <input>:1:10: undefined field 'later'",
    ]);
    expect(validating({ variables: [{ name: 'in', expression: ' ' }] })).toEqual([
      'spec.variables[0].name: Invalid value: "in": must be a valid CEL identifier',
      'spec.variables[0].expression: Required value: expression is not specified',
    ]);
  });

  test('needs message expressions that are strings and do not use the authorizer', () => {
    const validations = [
      { expression: 'true', message: 'a\nb', reason: 'Foo' },
      { expression: 'true', messageExpression: '1' },
      { expression: 'true', messageExpression: 'authorizer.path("/").check("get").reason()' },
    ];
    expect(validating({ validations }).map((text) => text.split('\n')[0])).toEqual([
      'spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks',
      'spec.validations[0].reason: Unsupported value: "Foo": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      'spec.validations[1].messageExpression: Invalid value: "1": must evaluate to string but got int',
      'spec.validations[2].messageExpression: Invalid value: "authorizer.path(\\"/\\").check(\\"get\\").reason()": compilation failed: ERROR: <input>:1:1: undeclared reference to \'authorizer\' (in container \'\')',
    ]);
  });

  test('needs audit annotations that are strings or null, with unique keys', () => {
    const auditAnnotations = [
      { key: 'k', valueExpression: '1' },
      { key: 'k', valueExpression: 'null' },
    ];
    expect(validating({ auditAnnotations })).toEqual([
      'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
      'spec.auditAnnotations[1].key: Duplicate value: "k"',
    ]);
  });

  test('needs match constraints, and validations or audit annotations', () => {
    expect(validating({ validations: [], matchConstraints: {} })).toEqual([
      'spec.matchConstraints.resourceRules: Required value',
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
      'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
    ]);
  });

  test('validates match conditions on update only if they or the paramKind changed', () => {
    const bad = policy({ validations: [{ expression: 'true' }], matchConditions: [{ name: 'a', expression: '1' }] });
    expect(validateValidatingPolicy(bad, bad)).toEqual([]);
    const other = policy({ ...(bad['spec'] as JsonObject), paramKind: { apiVersion: 'v1', kind: 'Secret' } });
    expect(validateValidatingPolicy(other, bad)).toHaveLength(1);
  });

  test('validates the warnings and conditions of its status', () => {
    const status = {
      typeChecking: { expressionWarnings: [{ warning: '', fieldRef: '' }] },
      conditions: [{ type: 'a b' }],
    };
    expect(validatePolicyStatus({ status }).map((issue) => formatIssue(issue).split(':')[0])).toEqual([
      'status.typeChecking.expressionWarnings[0].warning',
      'status.typeChecking.expressionWarnings[0].fieldRef',
      'status.conditions[0].type',
      'status.conditions[0].status',
      'status.conditions[0].lastTransitionTime',
      'status.conditions[0].reason',
    ]);
  });

  test('shows its validations and its paramKind in the table', () => {
    const shown = policy({ validations: [{ expression: 'true' }], paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } });
    expect(validatingPolicyTable().cells(shown, 0)).toEqual(['p', 1, 'v1/ConfigMap', '<unknown>']);
  });
});

describe('MutatingAdmissionPolicy', () => {
  const mutating = (mutations: JsonObject[], spec: JsonObject = {}) =>
    validateMutatingPolicy(policy({ reinvocationPolicy: 'Never', mutations, ...spec })).map(
      (issue) => formatIssue(issue).split('\n')[0],
    );
  const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
  const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

  test('accepts expressions of type Object or list(JSONPatch)', () => {
    expect(
      mutating([
        apply('Object{metadata: Object.metadata{labels: Object.metadata.labels{a: object.metadata.name}}}'),
        patch('[JSONPatch{op: "add", path: "/a/" + jsonpatch.escapeKey("b/c"), value: Object.x{y: 1}}]'),
        apply('Object.spec{}'),
        patch('[]'),
      ]),
    ).toEqual([
      'spec.mutations[2].applyConfiguration.expression: Invalid value: "Object.spec{}": must evaluate to Object but got Object.spec',
      'spec.mutations[3].jsonPatch.expression: Invalid value: "[]": must evaluate to list(JSONPatch) but got list(dyn)',
    ]);
  });

  test('needs the field of its patchType and no other', () => {
    expect(mutating([{}, { patchType: 'X' }, { patchType: 'JSONPatch', applyConfiguration: {} }])).toEqual([
      'spec.mutations[0].patchType: Required value',
      'spec.mutations[1].patchType: Unsupported value: "X": supported values: "ApplyConfiguration", "JSONPatch"',
      'spec.mutations[2].jsonPatch: Required value: must be specified when patchType is JSONPatch',
      'spec.mutations[2].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
    ]);
  });

  test('must not match DELETE', () => {
    const matchConstraints = { resourceRules: [{ ...RULE, operations: ['DELETE'] }] };
    expect(mutating([apply('Object{}')], { matchConstraints })).toEqual([
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    ]);
  });
});

describe('policy bindings', () => {
  function binding(spec: JsonObject): JsonObject {
    const object: JsonObject = { metadata: { name: 'b' }, spec: { policyName: 'p', ...spec } };
    setBindingDefaults(object);
    return object;
  }

  test('need a policyName, and at most one of name and selector in paramRef', () => {
    const paramRef = { name: 'a/b', selector: {} };
    expect(validateMutatingBinding(binding({ policyName: '', paramRef })).map(formatIssue)).toEqual([
      'spec.policyName: Required value',
      'spec.paramRef.name: Invalid value: "a/b": may not contain \'/\'',
      'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.parameterNotFoundAction: Required value',
    ]);
  });

  test('need valid and unique validationActions', () => {
    expect(
      validateValidatingBinding(binding({ validationActions: ['Deny', 'Warn', 'Deny', 'Foo'] })).map(formatIssue),
    ).toEqual([
      'spec.validationActions[2]: Duplicate value: "Deny"',
      'spec.validationActions[3]: Unsupported value: "Foo": supported values: "Audit", "Deny", "Warn"',
      'spec.validationActions: Invalid value: ["Deny","Warn","Deny","Foo"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ]);
    expect(validateValidatingBinding(binding({})).map(formatIssue)).toEqual([
      'spec.validationActions: Required value: at least one validation action is required',
    ]);
  });

  test.each<[JsonObject, string]>([
    [{}, '<unset>'],
    [{ paramRef: { name: 'x' } }, '*/x'],
    [{ paramRef: { name: 'x', namespace: 'n' } }, 'n/x'],
    [
      { paramRef: { selector: { matchLabels: { b: '1', a: '2' } } } },
      '&LabelSelector{MatchLabels:map[string]string{a: 2,b: 1,},MatchExpressions:[]LabelSelectorRequirement{},}',
    ],
  ])('shows %j as %s', (spec, shown) => {
    expect(policyBindingTable().cells(binding(spec), 0)).toEqual(['b', 'p', shown, '<unknown>']);
  });
});
