import { describe, expect, test } from 'vitest';
import { isStatusError } from '../../../apimachinery/status/status.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { AdmissionAttributes, Operation } from '../../../server/admission.ts';
import { attributesFor, podWith, readerOf } from '../admission.fixtures.ts';
import { nodeRestriction } from './node-restriction.ts';

const KUBELET = { name: 'system:node:n', uid: '', groups: ['system:nodes'], extra: {} };
const node = (labels: JsonObject = {}, spec: JsonObject = {}): JsonObject => ({
  metadata: { name: 'n', uid: 'node-uid', labels },
  spec,
});
const OWNER = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'node-uid', controller: true };
const mirror = (spec: JsonObject = {}, owner: JsonObject = OWNER): JsonObject =>
  podWith(
    { nodeName: 'n', ...spec },
    { annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences: [owner] },
  );

const plugin = nodeRestriction({
  pods: readerOf(
    podWith(
      {
        nodeName: 'n',
        volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { audience: 'vault' } }] } }],
      },
      { uid: 'pod-uid' },
    ),
    podWith({ nodeName: 'other' }, { name: 'away', uid: 'away-uid' }),
  ),
  nodes: readerOf(node()),
  claims: readerOf(),
  volumes: readerOf(),
  drivers: readerOf(),
  authorizer: { authorize: () => ({ decision: 'no-opinion', reason: '', error: '' }) },
});

async function ask(
  operation: Operation,
  resource: string,
  object: JsonObject | undefined,
  more: Partial<AdmissionAttributes> = {},
): Promise<string | undefined> {
  try {
    await plugin.admit?.(attributesFor(operation, resource, object, { user: KUBELET, ...more }));
    return undefined;
  } catch (error) {
    if (isStatusError(error)) return error.status.message?.replace(/^\S+ "[^"]*" is forbidden: /, '');
    throw error;
  }
}

describe('NodeRestriction', () => {
  test('ignores users that are not nodes', async () => {
    const user = { ...KUBELET, groups: [] };
    expect(await ask('CREATE', 'pods', podWith(), { user })).toBeUndefined();
    expect(await ask('CREATE', 'pods', podWith(), { user: { ...KUBELET, name: 'system:node:' } })).toBe(
      'could not determine node from user "system:node:"',
    );
  });

  test.each([
    [mirror(), undefined],
    [
      podWith({ nodeName: 'n' }),
      'pod does not have "kubernetes.io/config.mirror" annotation, node "n" can only create mirror pods',
    ],
    [mirror({ nodeName: 'm' }), 'node "n" can only create pods with spec.nodeName set to itself'],
    [mirror({}, { ...OWNER, name: 'm' }), 'node "n" can only create pods with an owner reference set to itself'],
    [
      mirror({}, { ...OWNER, controller: false }),
      'node "n" can only create pods with a controller owner reference set to itself',
    ],
    [mirror({}, { ...OWNER, uid: 'x' }), 'node n UID mismatch: expected x got node-uid'],
    [
      mirror({ volumes: [{ name: 'v', persistentVolumeClaim: {} }] }),
      'node "n" can not create pods that reference persistentvolumeclaims',
    ],
    [
      mirror({ containers: [{ name: 'c', envFrom: [{ configMapRef: { name: 'c' } }] }] }),
      'node "n" can not create pods that reference configmaps',
    ],
  ])('allows a node to create mirror pods without references to API objects', async (pod, because) => {
    expect(await ask('CREATE', 'pods', pod)).toBe(because);
  });

  test('allows a node to delete, evict and update the status of its own pods only', async () => {
    const away = podWith({ nodeName: 'other' }, { name: 'away' });
    expect(await ask('DELETE', 'pods', undefined, { name: 'away', oldObject: away })).toBe(
      'node "n" can only delete pods with spec.nodeName set to itself',
    );
    expect(await ask('CREATE', 'pods', {}, { name: 'away', subresource: 'eviction' })).toBe(
      'node n can only evict pods with spec.nodeName set to itself',
    );
    expect(await ask('CREATE', 'pods', {}, { name: 'p', subresource: 'eviction' })).toBeUndefined();
    const own = podWith({ nodeName: 'n' });
    const status = { subresource: 'status', oldObject: own };
    expect(await ask('UPDATE', 'pods', own, status)).toBeUndefined();
    expect(await ask('UPDATE', 'pods', podWith({ nodeName: 'n' }, { labels: { a: 'b' } }), status)).toBe(
      'node "n" cannot update labels through pod status',
    );
    expect(await ask('UPDATE', 'pods', own, { subresource: 'resize', oldObject: own })).toBe(
      `unexpected pod subresource "resize", only 'status' and 'eviction' are allowed`,
    );
  });

  test('allows a node to set labels that describe it, but no others', async () => {
    const update = (object: JsonObject): Promise<string | undefined> =>
      ask('UPDATE', 'nodes', object, { oldObject: node() });
    expect(
      await update(node({ 'kubernetes.io/os': 'linux', 'x.node.kubernetes.io/y': '1', plain: 'z' })),
    ).toBeUndefined();
    expect(await update(node({ 'node-restriction.kubernetes.io/a': 'b', 'role.kubernetes.io/c': 'd' }))).toBe(
      'is not allowed to modify labels: node-restriction.kubernetes.io/a, role.kubernetes.io/c',
    );
    expect(await update(node({}, { taints: [{ key: 'k' }] }))).toBe('node "n" is not allowed to modify taints');
    expect(await ask('UPDATE', 'nodes', undefined, { name: 'm' })).toBe('node "n" is not allowed to modify node "m"');
  });

  const token = (spec: JsonObject): JsonObject => ({ spec });
  const bound = (name: string, uid: string): JsonObject => ({
    boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
  });
  test.each([
    [token({}), 'node requested token not bound to a pod'],
    [token(bound('p', '')), 'node requested token with a pod binding without a uid'],
    [token({ ...bound('p', 'pod-uid'), audiences: ['vault'] }), undefined],
    [
      token({ ...bound('p', 'pod-uid'), audiences: ['bank'] }),
      'audience "bank" not found in pod spec volume, system:node:n is not authorized to request tokens for this audience',
    ],
    [token({ ...bound('p', 'pod-uid'), audiences: ['a', 'b'] }), 'node may only request 0 or 1 audiences'],
    [token(bound('away', 'away-uid')), 'node requested token bound to a pod scheduled on a different node'],
  ])('allows a node to request tokens of its pods only', async (request, because) => {
    expect(await ask('CREATE', 'serviceaccounts', request, { name: 'sa', subresource: 'token' })).toBe(because);
  });

  test('restricts a node to leases, CSINodes, slices and requests with its own name', async () => {
    expect(await ask('CREATE', 'leases.coordination.k8s.io', node(), { namespace: 'kube-node-lease' })).toBeUndefined();
    expect(await ask('CREATE', 'leases.coordination.k8s.io', node())).toBe(
      'can only access leases in the "kube-node-lease" system namespace',
    );
    expect(await ask('UPDATE', 'csinodes.storage.k8s.io', node(), { name: 'm' })).toBe(
      'can only access CSINode with the same name as the requesting node',
    );
    const slice = { metadata: { name: 's' }, spec: { nodeName: 'm' } };
    expect(await ask('DELETE', 'resourceslices.resource.k8s.io', undefined, { oldObject: slice })).toBe(
      'can only delete ResourceSlice with the same NodeName as the requesting node',
    );
    const claim = { metadata: { name: 'c' }, status: { phase: 'Bound' } };
    const sized = { metadata: { name: 'c' }, status: { phase: 'Bound', capacity: { storage: '1' } } };
    const status = { subresource: 'status', oldObject: claim };
    expect(await ask('UPDATE', 'persistentvolumeclaims', sized, status)).toBeUndefined();
    expect(await ask('UPDATE', 'persistentvolumeclaims', { ...sized, status: { phase: 'Lost' } }, status)).toBe(
      'node "n" is not allowed to update fields other than status.quantity and status.conditions',
    );
  });
});
