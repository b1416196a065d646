/** Permissions for the status of a ResourceClaim, alone and beside other issues. */
import { inNamespace, patch, post, put, RBAC, type Step, type Topic, topic } from '../request.ts';

const CLAIMS = inNamespace('resource.k8s.io/v1', 'resourceclaims');
const CLAIM = {
  metadata: { name: 'c' },
  spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu' } }] } },
};
const RESULT = { request: 'r', driver: 'd.io', pool: 'p', device: 'dev' };
const ALLOCATED = { devices: { results: [RESULT] } };
const DEVICES = [{ driver: 'd.io', pool: 'p', device: 'dev' }];
const AS = { headers: { 'impersonate-user': '{{ns}}-driver' } };

/** Grants rules of resource.k8s.io to the impersonated user, in every namespace. */
function allow(rules: readonly Readonly<Record<string, unknown>>[]): Step[] {
  const group = 'rbac.authorization.k8s.io';
  const name = '{{ns}}-driver';
  return [
    post(`${RBAC}/clusterroles`, {
      metadata: { name },
      rules: rules.map((rule) => ({ apiGroups: ['resource.k8s.io'], ...rule })),
    }),
    post(`${RBAC}/clusterrolebindings`, {
      metadata: { name },
      subjects: [{ kind: 'User', apiGroup: group, name }],
      roleRef: { apiGroup: group, kind: 'ClusterRole', name },
    }),
  ];
}

const STATUS = { resources: ['resourceclaims/status'], verbs: ['update', 'patch'] };
const status = (value: unknown, user = AS): Step => patch('merge', `${CLAIMS}/c/status`, { status: value }, user);

export const claimStatus: Topic = topic('claim status', {
  'without permissions of its own': [
    ...allow([STATUS]),
    post(CLAIMS, CLAIM),
    status({ allocation: ALLOCATED }),
    status({ allocation: { devices: { results: [{ ...RESULT, pool: '', request: 'other' }] } } }),
    status({ reservedFor: [{}] }),
    status({ allocation: ALLOCATED, reservedFor: [{ resource: 'pods', name: 'x', uid: 'u' }], devices: DEVICES }),
    status({ allocation: { devices: { results: [{ ...RESULT, adminAccess: true }] } }, devices: [{}] }),
    put(`${CLAIMS}/c/status`, { ...CLAIM, status: { allocation: ALLOCATED, devices: DEVICES } }, AS),
    status({}),
  ],
  'for devices of one driver': [
    ...allow([
      STATUS,
      { resources: ['resourceclaims/driver'], verbs: ['arbitrary-node:patch'], resourceNames: ['e.io'] },
    ]),
    post(CLAIMS, CLAIM),
    patch('merge', `${CLAIMS}/c/status`, { status: { allocation: ALLOCATED } }),
    status({ devices: DEVICES }),
    status({ devices: [{ ...DEVICES[0], conditions: [{}] }] }),
    status({ devices: [{ driver: 'e.io', pool: 'p', device: 'dev' }] }),
  ],
});
