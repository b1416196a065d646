/** Roles, tokens, policies, webhooks and APIServices that are written through one server and count on both. */
import type { JsonObject } from '../../src/base/json-value.ts';
import { expectEqual } from '../../src/storage/suite-assert.ts';
import { expectStatus, must, nameOf } from '../common/json-requests.ts';
import type { Client } from '../diff/client.ts';
import type { Step } from '../diff/request.ts';
import { API_SERVICES, UNAVAILABLE_API_SERVICE } from './objects.ts';
import { eventOf, type ServerCase, type Servers, watching } from './servers.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const ROUNDS = 10;

/**
 * Something that is created through A and deleted through B. It counts in the next request to the server that wrote it,
 * and on the other one when a watch of that server has shown it.
 */
interface Setting {
  /** The collection of the object that makes the difference, which is written last and deleted. */
  readonly collection: string;
  readonly object: JsonObject;
  /** The request that it decides about. */
  readonly request: Step;
  /** The status of the request with and without the object. */
  readonly statuses: readonly [present: number, absent: number];
}

async function checkSetting({ a, b }: Servers, { collection, object, request, statuses }: Setting): Promise<void> {
  const [present, absent] = statuses;
  const name = nameOf(object);
  const seenBy = async (other: Client, type: string, write: () => Promise<unknown>): Promise<void> => {
    await watching(other, collection, async (stream) => {
      await write();
      await stream.until(`${type} ${name}`, eventOf(type, name));
    });
  };
  for (const client of [a, b]) await expectStatus(client, request, absent);
  await seenBy(b, 'ADDED', async () => {
    await must(a, { method: 'POST', path: collection, body: object });
    await expectStatus(a, request, present);
  });
  await expectStatus(b, request, present);
  await seenBy(a, 'DELETED', async () => {
    await must(b, { method: 'DELETE', path: `${collection}/${name}` });
    await expectStatus(b, request, absent);
  });
  await expectStatus(a, request, absent);
}

async function roles(servers: Servers): Promise<void> {
  const namespace = await servers.namespace();
  const collection = `${RBAC}/namespaces/${namespace}/rolebindings`;
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
  await watching(servers.b, `${RBAC}/namespaces/${namespace}/roles`, async (stream) => {
    const role = { metadata: { name: 'reader' }, rules };
    await must(servers.a, { method: 'POST', path: `${RBAC}/namespaces/${namespace}/roles`, body: role });
    await stream.until('role', eventOf('ADDED', 'reader'));
  });
  for (let i = 0; i < ROUNDS; i++)
    await checkSetting(servers, {
      collection,
      object: {
        metadata: { name: 'reader' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
      },
      request: { method: 'GET', path: `/api/v1/namespaces/${namespace}/configmaps`, user: 'alice' },
      statuses: [200, 403],
    });
}

async function clusterRoles(servers: Servers): Promise<void> {
  const binding = {
    metadata: { name: 'bob-reads-nodes' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node-problem-detector' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'developers' }],
  };
  for (let i = 0; i < ROUNDS; i++)
    await checkSetting(servers, {
      collection: `${RBAC}/clusterrolebindings`,
      object: binding,
      // 404: the user may read nodes, and no node has this name.
      request: { method: 'GET', path: '/api/v1/nodes/none', user: 'bob' },
      statuses: [404, 403],
    });
}

/** A create that stores nothing. */
function dryRun(namespace: string): Step {
  const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`;
  return { method: 'POST', path, body: { metadata: { name: 'tried' } } };
}

async function policies(servers: Servers): Promise<void> {
  const namespace = await servers.namespace();
  const policy = {
    metadata: { name: 'no-config-maps' },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      },
      validations: [{ expression: "object.metadata.name != 'tried'", message: 'no' }],
    },
  };
  await watching(servers.b, `${ADMISSION}/validatingadmissionpolicies`, async (stream) => {
    await must(servers.a, { method: 'POST', path: `${ADMISSION}/validatingadmissionpolicies`, body: policy });
    await stream.until('policy', eventOf('ADDED', 'no-config-maps'));
  });
  for (let i = 0; i < ROUNDS; i++)
    await checkSetting(servers, {
      collection: `${ADMISSION}/validatingadmissionpolicybindings`,
      object: {
        metadata: { name: 'no-config-maps' },
        spec: { policyName: 'no-config-maps', validationActions: ['Deny'] },
      },
      request: dryRun(namespace),
      statuses: [422, 201],
    });
}

async function webhooks(servers: Servers): Promise<void> {
  const namespace = await servers.namespace();
  // Nothing listens at port 1, so every matching request fails.
  const webhook = {
    name: 'unreachable.example.com',
    clientConfig: { url: 'https://127.0.0.1:1/' },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 1,
  };
  for (const kind of ['validating', 'mutating'])
    await checkSetting(servers, {
      collection: `${ADMISSION}/${kind}webhookconfigurations`,
      object: { metadata: { name: `${kind}-unreachable` }, webhooks: [webhook] },
      request: dryRun(namespace),
      statuses: [500, 201],
    });
}

async function apiServices(servers: Servers): Promise<void> {
  for (let i = 0; i < ROUNDS; i++)
    await checkSetting(servers, {
      collection: API_SERVICES,
      object: UNAVAILABLE_API_SERVICE,
      request: { method: 'GET', path: '/apis/remote.example.com/v1' },
      statuses: [503, 404],
    });
}

async function tokens({ a, b }: Servers): Promise<void> {
  for (let i = 0; i < ROUNDS; i++) {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await must(a, { method: 'POST', path: accounts, body: { metadata: { name: 'worker' } } });
    const path = `${accounts}/worker/token`;
    const { status } = await must(a, { method: 'POST', path, body: { spec: { expirationSeconds: 600 } } });
    const { token } = status as { token: string };
    const review: Step = { method: 'POST', path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', token, body: {} };
    for (const client of [b, a]) {
      const reviewed = (await expectStatus(client, review, 201)) as { status: { userInfo: { username: string } } };
      expectEqual(reviewed.status.userInfo.username, 'system:serviceaccount:default:worker', 'the user');
    }
    await must(a, { method: 'DELETE', path: `${accounts}/worker` });
    for (const client of [b, a]) await expectStatus(client, review, 401);
  }
}

export const ACCESS_CASES: readonly ServerCase[] = [
  ['a RoleBinding counts on both servers', roles],
  ['a ClusterRoleBinding counts on both servers', clusterRoles],
  ['a token of one server is valid on the other until its account is deleted', tokens],
  ['a policy is enforced by both servers', policies],
  ['webhooks are called by both servers', webhooks],
  ['an APIService is proxied by both servers', apiServices],
];
