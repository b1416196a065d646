import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import type { DiscoveryVersion } from '../../../server/discovery/discovery-publisher.ts';
import { causesOf, grant, startTestKube, type TestKube, user } from '../../kube-server.fixtures.ts';

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const ALICE = user('alice');

let kube: TestKube;
afterEach(() => kube.stop());

describe('an admission policy', () => {
  const RULE = { apiGroups: ['x'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['y'] };
  const policy = (name: string, kind: string): JsonObject => ({
    metadata: { name },
    spec: {
      paramKind: { apiVersion: 'v1', kind },
      matchConstraints: { resourceRules: [RULE] },
      validations: [{ expression: 'params.x == 1' }],
    },
  });
  const binding = (policyName: string): JsonObject => ({
    metadata: { name: 'b' },
    spec: {
      policyName,
      validationActions: ['Deny'],
      paramRef: { name: 'x', namespace: 'default', parameterNotFoundAction: 'Deny' },
    },
  });

  /** Discovery that returns what the server publishes. */
  function discovery() {
    const published = new Map<string, DiscoveryVersion>();
    const keyOf = ({ group, version }: { group: string; version: string }) => `${group}/${version}`;
    const get = (version: { group: string; version: string }) => published.get(keyOf(version));
    return {
      publish: (version: DiscoveryVersion) => void published.set(keyOf(version), version),
      remove: () => undefined,
      get,
      getLocal: get,
    };
  }

  test('needs permission to read its parameters to be written', async () => {
    kube = await startTestKube({ discovery: discovery() });
    await grant(kube, ALICE, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]);
    expect((await kube.request('POST', POLICIES, policy('a', 'ConfigMap'), { as: ALICE })).status).toBe(201);
    expect(causesOf(await kube.request('POST', POLICIES, policy('b', 'Secret'), { as: ALICE }))).toEqual([
      'spec.paramKind: Forbidden: user &{alice  [system:authenticated] map[]} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)',
    ]);
    const relabelled = { metadata: { labels: { a: 'b' } } };
    await kube.request('POST', POLICIES, policy('c', 'Secret'));
    expect((await kube.request('PATCH', `${POLICIES}/c`, relabelled, { as: ALICE })).status).toBe(200);
  });

  test('needs permission to read its parameters to be bound', async () => {
    kube = await startTestKube({ discovery: discovery() });
    await grant(kube, ALICE, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]);
    for (const kind of ['ConfigMap', 'Secret']) await kube.request('POST', POLICIES, policy(kind.toLowerCase(), kind));
    const bind = (name: string) => kube.request('POST', `${BINDINGS}?dryRun=All`, binding(name), { as: ALICE });
    expect((await bind('configmap')).status).toBe(201);
    const who = 'user &{alice  [system:authenticated] map[]} does not have "get" permission';
    expect(causesOf(await bind('secret'))).toEqual([
      `spec.paramRef: Forbidden: ${who} on the object referenced by paramRef`,
    ]);
    expect(causesOf(await bind('nope'))).toEqual([
      `spec.paramRef: Forbidden: unable to get policy nope to determine minimum required permissions and ${who} for all groups, versions and resources`,
    ]);
  });

  test('counts generations and needs a resourceVersion for an update', async () => {
    kube = await startTestKube();
    await kube.request('POST', POLICIES, policy('a', 'ConfigMap'));
    const changed = await kube.request('PATCH', `${POLICIES}/a`, { spec: { failurePolicy: 'Ignore' } });
    expect(changed.body['metadata']).toMatchObject({ generation: 2 });
    expect(changed.body['status']).toEqual({});
    expect(causesOf(await kube.request('PUT', `${POLICIES}/a`, policy('a', 'ConfigMap')))).toEqual([
      'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ]);
  });
});
