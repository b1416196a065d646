/** The parts of generated policies that validating and mutating ones share. */
import type { Random } from '../../src/base/random.fixtures.ts';
import type { ConfigurationObject } from './admission-case.ts';

export type Fields = Readonly<Record<string, unknown>>;

const GROUP = '/apis/admissionregistration.k8s.io/v1';

/** Cluster-scoped objects are in no namespace, so that the namespace selector would select all of them. */
function ruleOf(operations: readonly string[]): Fields {
  return { operations, apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], scope: 'Namespaced' };
}

/** The operations that each kind of policy may have. */
const OPERATIONS = { Validating: ['CREATE', 'UPDATE', 'DELETE'], Mutating: ['CREATE', 'UPDATE'] } as const;

export interface PolicySpec {
  readonly name?: string;
  readonly policy: Fields;
  readonly binding?: Fields;
}

/** A policy and a binding for the namespace of the case. */
export function policyObjects(
  kind: keyof typeof OPERATIONS,
  namespace: string,
  { name = namespace, policy, binding = {} }: PolicySpec,
): readonly ConfigurationObject[] {
  const { matchConstraints = {}, ...spec } = policy as { matchConstraints?: Fields };
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  const resourceRules = [ruleOf(OPERATIONS[kind])];
  const apiVersion = 'admissionregistration.k8s.io/v1';
  return [
    {
      path: `${GROUP}/${kind.toLowerCase()}admissionpolicies`,
      object: {
        apiVersion,
        kind: `${kind}AdmissionPolicy`,
        metadata: { name },
        spec: { ...spec, matchConstraints: { resourceRules, namespaceSelector, ...matchConstraints } },
      },
    },
    {
      path: `${GROUP}/${kind.toLowerCase()}admissionpolicybindings`,
      object: {
        apiVersion,
        kind: `${kind}AdmissionPolicyBinding`,
        metadata: { name },
        spec: { policyName: name, ...(kind === 'Validating' && { validationActions: ['Deny'] }), ...binding },
      },
    },
  ];
}

export const VARIABLES: readonly Fields[] = [
  { name: 'name', expression: "object == null ? 'x' : object.metadata.name" },
  { name: 'isNew', expression: "request.operation == 'CREATE'" },
  { name: 'broken', expression: 'object.metadata.nothing' },
  { name: 'both', expression: "variables.isNew && variables.name == 'x'" },
];

/** Choices for the fields of policies and bindings. `operations` are those of the rules. */
export function policyTerms(operations: readonly string[]): {
  readonly constraints: readonly Fields[];
  readonly conditions: readonly (readonly Fields[])[];
  readonly bindings: readonly Fields[];
  readonly paramKinds: readonly Fields[];
} {
  const rule = ruleOf(operations);
  const last = operations.slice(-1);
  return {
    constraints: [
      {},
      {},
      {},
      { matchPolicy: 'Exact', resourceRules: [{ ...rule, apiVersions: ['v2'] }] },
      { resourceRules: [{ ...rule, apiVersions: ['v2'] }] },
      { resourceRules: [{ ...rule, operations: ['CREATE'] }] },
      { resourceRules: [{ ...rule, resources: ['*'] }] },
      { resourceRules: [{ ...rule, resourceNames: ['x'] }] },
      { resourceRules: [{ ...rule, resourceNames: ['y'] }] },
      { excludeResourceRules: [{ ...rule, operations: ['UPDATE'] }] },
      { excludeResourceRules: [{ ...rule, resourceNames: ['x'], operations: last }] },
      { objectSelector: { matchLabels: { app: 'a' } } },
    ],
    conditions: [
      [],
      [],
      [],
      [{ name: 'not-delete', expression: "request.operation != 'DELETE'" }],
      [{ name: 'fails', expression: 'object.metadata.nothing == 1' }],
      [
        { name: 'fails', expression: 'object.metadata.nothing == 1' },
        { name: 'never', expression: 'false' },
      ],
      [{ name: 'no-namespace', expression: 'namespaceObject == null' }],
      [{ name: 'version', expression: "request.resource.version == 'v1'" }],
    ],
    bindings: [
      {},
      {},
      {},
      { matchResources: { resourceRules: [{ ...rule, operations: ['CREATE', 'UPDATE'] }] } },
      { matchResources: { objectSelector: { matchLabels: { app: 'a' } } } },
      { matchResources: { excludeResourceRules: [{ ...rule, resources: ['*/status', '*/scale'] }] } },
    ],
    paramKinds: [
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { apiVersion: 'example.com/v1', kind: 'Nothing' },
    ],
  };
}

const PARAM_REFS: readonly Fields[] = [
  { name: 'limits', parameterNotFoundAction: 'Deny' },
  { name: 'limits', namespace: '{{ns}}', parameterNotFoundAction: 'Deny' },
  { name: 'missing', parameterNotFoundAction: 'Deny' },
  { name: 'missing', parameterNotFoundAction: 'Allow' },
  { selector: { matchLabels: { kind: 'limits' } }, parameterNotFoundAction: 'Deny' },
  { selector: { matchLabels: { kind: 'none' } }, parameterNotFoundAction: 'Allow' },
];

export function paramRefOf(random: Random, hasParams: boolean, namespace: string): Fields {
  if (!hasParams || random.int(6) === 0) return {};
  const ref = random.pick(PARAM_REFS);
  return { paramRef: ref['namespace'] === undefined ? ref : { ...ref, namespace } };
}

/** The parameter that references name. */
export function limitsOf(namespace: string): ConfigurationObject {
  return {
    path: `/api/v1/namespaces/${namespace}/configmaps`,
    object: { metadata: { name: 'limits', labels: { kind: 'limits' } }, data: { max: '2' } },
  };
}
