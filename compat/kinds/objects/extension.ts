/**
 * Objects of admissionregistration.k8s.io and resource.k8s.io. Their rules match no served resource, so that they have
 * no effect.
 */
import type { JsonDict } from '../../crds/schema.ts';
import type { Subject } from '../subject.ts';

const META: JsonDict = { labels: { app: 'x' }, annotations: { 'example.com/note': 'a note' } };
const RULE: JsonDict = {
  operations: ['CREATE', 'UPDATE'],
  apiGroups: ['nothing.example.com'],
  apiVersions: ['v1'],
  resources: ['things', 'things/status'],
  scope: 'Namespaced',
};
const SELECTOR: JsonDict = { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'In', values: ['d'] }] };
const CLIENT: JsonDict = { url: 'https://hooks.example.com/path' };
const SERVICE_CLIENT: JsonDict = {
  service: { namespace: 'n', name: 's', path: '/hook', port: 8443 },
  caBundle: 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkFBQUEKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=',
};
const CONDITIONS: JsonDict[] = [{ name: 'not-system', expression: "!('system:masters' in request.userInfo.groups)" }];

const MINIMAL_WEBHOOK: JsonDict = {
  name: 'minimal.example.com',
  clientConfig: CLIENT,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const FULL_WEBHOOK: JsonDict = {
  name: 'full.example.com',
  clientConfig: SERVICE_CLIENT,
  rules: [RULE],
  failurePolicy: 'Ignore',
  matchPolicy: 'Exact',
  namespaceSelector: SELECTOR,
  objectSelector: SELECTOR,
  sideEffects: 'NoneOnDryRun',
  timeoutSeconds: 5,
  admissionReviewVersions: ['v1', 'v1beta1'],
  matchConditions: CONDITIONS,
};
const MATCH: JsonDict = { resourceRules: [RULE] };
const FULL_MATCH: JsonDict = {
  namespaceSelector: SELECTOR,
  objectSelector: SELECTOR,
  resourceRules: [{ ...RULE, resourceNames: ['one'] }],
  excludeResourceRules: [{ ...RULE, operations: ['DELETE'] }],
  matchPolicy: 'Equivalent',
};
const PARAM_REF: JsonDict = { name: 'p', namespace: 'n', parameterNotFoundAction: 'Deny' };

const DEVICE_REQUEST: JsonDict = { name: 'one', exactly: { deviceClassName: 'gpu.example.com' } };
const CEL: JsonDict = { cel: { expression: "device.driver == 'gpu.example.com'" } };
const OPAQUE: JsonDict = {
  opaque: { driver: 'gpu.example.com', parameters: { apiVersion: 'example.com/v1', kind: 'X', a: 1 } },
};
const FULL_CLAIM: JsonDict = {
  devices: {
    requests: [
      {
        name: 'one',
        exactly: {
          deviceClassName: 'gpu.example.com',
          selectors: [CEL],
          allocationMode: 'ExactCount',
          count: 2,
          tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute', tolerationSeconds: 30 }],
        },
      },
      {
        name: 'some',
        firstAvailable: [
          { name: 'big', deviceClassName: 'gpu.example.com', selectors: [CEL], allocationMode: 'All' },
          { name: 'small', deviceClassName: 'gpu.example.com', count: 1 },
        ],
      },
    ],
    constraints: [{ requests: ['one'], matchAttribute: 'gpu.example.com/model' }],
    config: [{ requests: ['one'], ...OPAQUE }],
  },
};

export const EXTENSION: readonly Subject[] = [
  {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    clusterScoped: true,
    alone: true,
    variants: [
      { name: 'kinds-none', object: {} },
      { name: 'kinds-minimal', object: { webhooks: [MINIMAL_WEBHOOK] } },
      { name: 'kinds-full', object: { metadata: META, webhooks: [FULL_WEBHOOK, MINIMAL_WEBHOOK] } },
    ],
  },
  {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'mutatingwebhookconfigurations',
    kind: 'MutatingWebhookConfiguration',
    clusterScoped: true,
    alone: true,
    variants: [
      { name: 'kinds-minimal', object: { webhooks: [MINIMAL_WEBHOOK] } },
      {
        name: 'kinds-full',
        object: { metadata: META, webhooks: [{ ...FULL_WEBHOOK, reinvocationPolicy: 'IfNeeded' }, MINIMAL_WEBHOOK] },
      },
    ],
  },
  {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    clusterScoped: true,
    alone: true,
    variants: [
      {
        name: 'kinds-minimal',
        object: { spec: { matchConstraints: MATCH, validations: [{ expression: 'object.spec.replicas < 5' }] } },
      },
      {
        name: 'kinds-full',
        object: {
          metadata: META,
          spec: {
            paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
            matchConstraints: FULL_MATCH,
            validations: [
              {
                expression: 'variables.small || params.data.x == "y"',
                message: 'too large',
                reason: 'Forbidden',
                messageExpression: "'at most ' + string(5)",
              },
            ],
            failurePolicy: 'Ignore',
            auditAnnotations: [{ key: 'size', valueExpression: "'size ' + string(object.spec.replicas)" }],
            matchConditions: CONDITIONS,
            variables: [{ name: 'small', expression: 'object.spec.replicas < 5' }],
          },
        },
        status: {
          observedGeneration: 1,
          typeChecking: { expressionWarnings: [{ fieldRef: 'spec.validations[0].expression', warning: 'w' }] },
          conditions: [
            { type: 'Ready', status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2024-01-01T00:00:00Z' },
          ],
        },
      },
    ],
  },
  {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'validatingadmissionpolicybindings',
    kind: 'ValidatingAdmissionPolicyBinding',
    clusterScoped: true,
    alone: true,
    variants: [
      { name: 'kinds-minimal', object: { spec: { policyName: 'none', validationActions: ['Deny'] } } },
      {
        name: 'kinds-full',
        object: {
          metadata: META,
          spec: {
            policyName: 'none',
            paramRef: PARAM_REF,
            matchResources: FULL_MATCH,
            validationActions: ['Warn', 'Audit'],
          },
        },
      },
      {
        name: 'kinds-selected',
        object: {
          spec: {
            policyName: 'none',
            paramRef: { selector: SELECTOR, parameterNotFoundAction: 'Allow' },
            validationActions: ['Deny'],
          },
        },
      },
    ],
  },
  {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'mutatingadmissionpolicies',
    kind: 'MutatingAdmissionPolicy',
    clusterScoped: true,
    alone: true,
    variants: [
      {
        name: 'kinds-minimal',
        object: {
          spec: {
            matchConstraints: MATCH,
            reinvocationPolicy: 'Never',
            mutations: [
              {
                patchType: 'ApplyConfiguration',
                applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"a": "b"}}}' },
              },
            ],
          },
        },
      },
      {
        name: 'kinds-full',
        object: {
          metadata: META,
          spec: {
            paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
            matchConstraints: FULL_MATCH,
            variables: [{ name: 'yes', expression: 'true' }],
            mutations: [
              {
                patchType: 'JSONPatch',
                jsonPatch: { expression: '[JSONPatch{op: "add", path: "/metadata/labels/x", value: "y"}]' },
              },
              {
                patchType: 'ApplyConfiguration',
                applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"a": "b"}}}' },
              },
            ],
            failurePolicy: 'Fail',
            matchConditions: CONDITIONS,
            reinvocationPolicy: 'IfNeeded',
          },
        },
      },
    ],
  },
  {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'mutatingadmissionpolicybindings',
    kind: 'MutatingAdmissionPolicyBinding',
    clusterScoped: true,
    alone: true,
    variants: [
      { name: 'kinds-minimal', object: { spec: { policyName: 'none' } } },
      {
        name: 'kinds-full',
        object: { metadata: META, spec: { policyName: 'none', paramRef: PARAM_REF, matchResources: FULL_MATCH } },
      },
    ],
  },
  {
    group: 'resource.k8s.io',
    version: 'v1',
    plural: 'deviceclasses',
    kind: 'DeviceClass',
    clusterScoped: true,
    variants: [
      { name: 'kinds-minimal', object: { spec: {} } },
      {
        name: 'kinds-full',
        object: {
          metadata: META,
          spec: { selectors: [CEL], config: [OPAQUE], extendedResourceName: 'example.com/gpu' },
        },
      },
    ],
  },
  {
    group: 'resource.k8s.io',
    version: 'v1',
    plural: 'resourceclaims',
    kind: 'ResourceClaim',
    variants: [
      { name: 'minimal', object: { spec: { devices: { requests: [DEVICE_REQUEST] } } } },
      {
        name: 'full',
        object: { metadata: META, spec: FULL_CLAIM },
        status: {
          allocation: {
            devices: {
              results: [
                { request: 'one', driver: 'gpu.example.com', pool: 'pool-1', device: 'dev-1' },
                { request: 'one', driver: 'gpu.example.com', pool: 'pool-1', device: 'dev-2' },
                { request: 'some/small', driver: 'gpu.example.com', pool: 'pool-1', device: 'dev-3' },
              ],
              config: [{ source: 'FromClass', requests: ['one'], ...OPAQUE }],
            },
            nodeSelector: {
              nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }],
            },
          },
          reservedFor: [{ resource: 'pods', name: 'x', uid: 'u' }],
          devices: [
            {
              driver: 'gpu.example.com',
              pool: 'pool-1',
              device: 'dev-1',
              conditions: [
                {
                  type: 'Ready',
                  status: 'True',
                  reason: 'R',
                  message: 'm',
                  lastTransitionTime: '2024-01-01T00:00:00Z',
                },
              ],
              data: { a: 1 },
              networkData: { interfaceName: 'eth1', ips: ['10.1.1.1/24'], hardwareAddress: 'ea:9f:cb:40:b1:7b' },
            },
          ],
        },
      },
    ],
  },
  {
    group: 'resource.k8s.io',
    version: 'v1',
    plural: 'resourceclaimtemplates',
    kind: 'ResourceClaimTemplate',
    variants: [
      { name: 'minimal', object: { spec: { spec: { devices: { requests: [DEVICE_REQUEST] } } } } },
      {
        name: 'full',
        object: {
          metadata: META,
          spec: { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, spec: FULL_CLAIM },
        },
      },
    ],
  },
  {
    group: 'resource.k8s.io',
    version: 'v1',
    plural: 'resourceslices',
    kind: 'ResourceSlice',
    clusterScoped: true,
    variants: [
      {
        name: 'kinds-minimal',
        object: {
          spec: {
            driver: 'gpu.example.com',
            nodeName: 'node-1',
            pool: { name: 'pool-1', generation: 1, resourceSliceCount: 1 },
          },
        },
      },
      {
        name: 'kinds-full',
        object: {
          metadata: META,
          spec: {
            driver: 'gpu.example.com',
            nodeSelector: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'gpu', operator: 'In', values: ['yes'] }] }],
            },
            pool: { name: 'pool-2', generation: 3, resourceSliceCount: 2 },
            devices: [
              {
                name: 'dev-1',
                attributes: {
                  model: { string: 'A' },
                  'gpu.example.com/cores': { int: 4 },
                  fast: { bool: true },
                  driver: { version: '1.2.3' },
                },
                capacity: { memory: { value: '16Gi' } },
                taints: [{ key: 'broken', value: 'x', effect: 'NoSchedule' }],
              },
              { name: 'dev-2' },
            ],
          },
        },
      },
      {
        name: 'kinds-all-nodes',
        object: {
          spec: {
            driver: 'gpu.example.com',
            allNodes: true,
            pool: { name: 'pool-3', generation: 1, resourceSliceCount: 1 },
            devices: [{ name: 'd' }],
          },
        },
      },
    ],
  },
];
