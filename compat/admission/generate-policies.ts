/** Generated cases: policies with random expressions, bindings and parameters, and random requests to one object. */
import { createRandom, type Random } from '../../src/base/random.fixtures.ts';
import type { AdmissionCase, ConfigurationObject } from './admission-case.ts';
import { SUBJECTS, stepsOf } from './generate-webhooks.ts';

type Fields = Readonly<Record<string, unknown>>;

const GROUP = '/apis/admissionregistration.k8s.io/v1';
/** Cluster-scoped objects are in no namespace, so that the namespace selector would select all of them. */
const RULE = {
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['*/*'],
  scope: 'Namespaced',
};

/** A policy and a binding for the namespace of the case. */
export function policyObjects(
  namespace: string,
  {
    name = namespace,
    policy,
    binding = {},
  }: { readonly name?: string; readonly policy: Fields; readonly binding?: Fields },
): readonly ConfigurationObject[] {
  const { matchConstraints = {}, ...spec } = policy as { matchConstraints?: Fields };
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  return [
    {
      path: `${GROUP}/validatingadmissionpolicies`,
      object: {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name },
        spec: { ...spec, matchConstraints: { resourceRules: [RULE], namespaceSelector, ...matchConstraints } },
      },
    },
    {
      path: `${GROUP}/validatingadmissionpolicybindings`,
      object: {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name },
        spec: { policyName: name, validationActions: ['Deny'], ...binding },
      },
    },
  ];
}

const TRUE: readonly string[] = [
  'true',
  "object == null || object.metadata.name == 'x'",
  "request.operation != 'CONNECT'",
  'oldObject == null || object == null || object.metadata.name == oldObject.metadata.name',
  "namespaceObject.metadata.name.startsWith('policies-')",
  "authorizer.group('').resource('pods').namespace('default').check('create').allowed()",
  "authorizer.requestResource.check('get').allowed()",
  "request.userInfo.username != ''",
  "has(request.name) ? request.name == 'x' : true",
];

const MIXED: readonly string[] = [
  'false',
  "request.operation != 'UPDATE'",
  "request.operation == 'DELETE' || object.metadata.labels.app == 'b'",
  'object == null || !has(object.metadata.annotations)',
  'object == null || !has(object.spec) || !has(object.spec.replicas) || object.spec.replicas < 3',
  "object == null || object.metadata.?labels[?'step'].orValue('') != 's1'",
  '!has(request.subResource)',
  "request.resource.version == 'v1'",
  'request.dryRun == false',
  'object.spec.nothing.more == 1',
  "object.metadata.labels['nothing'] == 'x'",
  'oldObject.metadata.name == "x"',
  'int(request.operation) == 1',
];

const WITH_VARIABLES: readonly string[] = [
  'variables.name == "x"',
  'variables.isNew',
  'variables.broken == 1',
  'variables.both',
];
const VARIABLES = [
  { name: 'name', expression: "object == null ? 'x' : object.metadata.name" },
  { name: 'isNew', expression: "request.operation == 'CREATE'" },
  { name: 'broken', expression: 'object.metadata.nothing' },
  { name: 'both', expression: "variables.isNew && variables.name == 'x'" },
];

const WITH_PARAMS: readonly string[] = [
  'params != null',
  "params == null || params.data.max == '2'",
  "params.data.max == '1'",
  "params.metadata.name == 'limits'",
  'params.data.nothing == "x"',
];

const MESSAGES: readonly Fields[] = [
  {},
  {},
  { message: 'must hold' },
  { message: '  trimmed  ' },
  { messageExpression: "'operation ' + request.operation" },
  { messageExpression: "'lines\\n' + request.operation", message: 'one line' },
  { messageExpression: 'string(object.metadata.nothing)', message: 'fallback' },
  { messageExpression: "''" },
];

const REASONS: readonly Fields[] = [
  {},
  {},
  { reason: 'Forbidden' },
  { reason: 'Invalid' },
  { reason: 'RequestEntityTooLarge' },
];

const CONSTRAINTS: readonly Fields[] = [
  {},
  {},
  {},
  { matchPolicy: 'Exact', resourceRules: [{ ...RULE, apiVersions: ['v2'] }] },
  { resourceRules: [{ ...RULE, apiVersions: ['v2'] }] },
  { resourceRules: [{ ...RULE, operations: ['CREATE'] }] },
  { resourceRules: [{ ...RULE, resources: ['*'] }] },
  { resourceRules: [{ ...RULE, resourceNames: ['x'] }] },
  { resourceRules: [{ ...RULE, resourceNames: ['y'] }] },
  { excludeResourceRules: [{ ...RULE, operations: ['UPDATE'] }] },
  { excludeResourceRules: [{ ...RULE, resourceNames: ['x'], operations: ['DELETE'] }] },
  { objectSelector: { matchLabels: { app: 'a' } } },
];

const CONDITIONS: readonly (readonly Fields[])[] = [
  [],
  [],
  [],
  [{ name: 'not-delete', expression: "request.operation != 'DELETE'" }],
  [{ name: 'fails', expression: 'object.metadata.nothing == 1' }],
  [
    { name: 'fails', expression: 'object.metadata.nothing == 1' },
    { name: 'never', expression: 'false' },
  ],
];

const ACTIONS: readonly (readonly string[])[] = [
  ['Deny'],
  ['Deny'],
  ['Deny'],
  ['Deny', 'Audit'],
  ['Warn'],
  ['Warn', 'Audit'],
  ['Audit'],
];

const BINDINGS: readonly Fields[] = [
  {},
  {},
  {},
  { matchResources: { resourceRules: [{ ...RULE, operations: ['CREATE', 'UPDATE'] }] } },
  { matchResources: { objectSelector: { matchLabels: { app: 'a' } } } },
  { matchResources: { excludeResourceRules: [{ ...RULE, resources: ['*/status', '*/scale'] }] } },
];

const PARAM_REFS: readonly Fields[] = [
  { name: 'limits', parameterNotFoundAction: 'Deny' },
  { name: 'limits', namespace: '{{ns}}', parameterNotFoundAction: 'Deny' },
  { name: 'missing', parameterNotFoundAction: 'Deny' },
  { name: 'missing', parameterNotFoundAction: 'Allow' },
  { selector: { matchLabels: { kind: 'limits' } }, parameterNotFoundAction: 'Deny' },
  { selector: { matchLabels: { kind: 'none' } }, parameterNotFoundAction: 'Allow' },
];

const PARAM_KINDS: readonly Fields[] = [
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'example.com/v1', kind: 'Nothing' },
];

/** Generates the case of a seed. It has one policy: the order of several is random in the reference. */
export function generatePolicyCase(seed: number): AdmissionCase {
  const random = createRandom(seed);
  const name = `policies-${seed}`;
  const subject = random.pick(SUBJECTS);
  const hasParams = random.int(3) === 0;
  const hasVariables = random.int(3) === 0;
  const expressions = [
    ...TRUE,
    ...MIXED,
    ...MIXED,
    ...(hasParams ? WITH_PARAMS : []),
    ...(hasVariables ? WITH_VARIABLES : []),
  ];
  const policy = {
    ...(random.int(3) === 0 && { failurePolicy: 'Ignore' }),
    ...(hasParams && { paramKind: random.pick(PARAM_KINDS) }),
    ...(hasVariables && { variables: VARIABLES }),
    matchConditions: random.pick(CONDITIONS),
    matchConstraints: random.pick(CONSTRAINTS),
    validations: Array.from({ length: 1 + random.int(3) }, () => ({
      expression: random.pick(expressions),
      ...random.pick(MESSAGES),
      ...random.pick(REASONS),
    })),
  };
  const binding = {
    ...random.pick(BINDINGS),
    validationActions: random.pick(ACTIONS),
    ...paramRefOf(random, hasParams, name),
  };
  const limits = {
    path: `/api/v1/namespaces/${name}/configmaps`,
    object: { metadata: { name: 'limits', labels: { kind: 'limits' } }, data: { max: '2' } },
  };
  return {
    name,
    objects: [limits, ...policyObjects(name, { policy, binding })],
    mutating: [],
    validating: [],
    steps: stepsOf(random, subject),
  };
}

function paramRefOf(random: Random, hasParams: boolean, namespace: string): Fields {
  if (!hasParams || random.int(6) === 0) return {};
  const ref = random.pick(PARAM_REFS);
  return { paramRef: ref['namespace'] === undefined ? ref : { ...ref, namespace } };
}
