import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { objectAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { grant, startTestKube, type TestAnswer, type TestKube, user } from '../../../kube-server.fixtures.ts';

const PODS = '/api/v1/namespaces/default/pods';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const SPEC: JsonObject = { containers: [{ name: 'c', image: 'i' }] };
const BOUND: JsonObject = { ...SPEC, nodeName: 'nowhere' };

let kube: TestKube;
beforeAll(async () => {
  kube = await startTestKube({
    admission: { enable: [], disable: ['ServiceAccount', 'Priority', 'DefaultTolerationSeconds'] },
  });
});
afterAll(() => kube.stop());

const create = (name: string, spec: JsonObject = SPEC, metadata: JsonObject = {}): Promise<TestAnswer> =>
  kube.request('POST', PODS, { metadata: { name, ...metadata }, spec });
const patch = (path: string, body: JsonObject): Promise<TestAnswer> => kube.request('PATCH', `${PODS}/${path}`, body);
const get = async (name: string): Promise<JsonObject> => (await kube.request('GET', `${PODS}/${name}`)).body;
const textOf = ({ status, body }: TestAnswer): string => `${status} ${textAt(body, 'message')}`;

describe('a pod', () => {
  test('starts Pending, with its QoS class and generation 1', async () => {
    const { status, body } = await create('begins', {
      containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '1', memory: '1Gi' } } }],
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      metadata: { generation: 1 },
      spec: { enableServiceLinks: true, containers: [{ resources: { requests: { cpu: '1', memory: '1Gi' } } }] },
      status: { phase: 'Pending', qosClass: 'Guaranteed' },
    });
  });

  test('has a condition while scheduling gates hold it', async () => {
    const { body } = await create('gated', { ...SPEC, schedulingGates: [{ name: 'g' }] });
    expect(body['status']).toMatchObject({
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          lastTransitionTime: '2030-01-01T00:00:00Z',
          reason: 'SchedulingGated',
          message: 'Scheduling is blocked due to non-empty scheduling gates',
        },
      ],
    });
  });

  test('has its own label values added to selectors with matchLabelKeys', async () => {
    const term = { topologyKey: 'zone', labelSelector: {}, matchLabelKeys: ['v'], mismatchLabelKeys: ['w'] };
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    const { body } = await create('merged', { ...SPEC, affinity }, { labels: { v: '1', w: '2' } });
    expect(body['spec']).toMatchObject({
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            {
              labelSelector: {
                matchExpressions: [
                  { key: 'v', operator: 'In', values: ['1'] },
                  { key: 'w', operator: 'NotIn', values: ['2'] },
                ],
              },
            },
          ],
        },
      },
    });
  });

  test('gets AppArmor profiles from the deprecated annotations', async () => {
    const annotations = { 'container.apparmor.security.beta.kubernetes.io/c': 'localhost/p' };
    const { body, warnings } = await create('armored', SPEC, { annotations });
    expect(body['spec']).toMatchObject({
      containers: [{ securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'p' } } }],
    });
    expect(warnings).toEqual([
      '299 - "metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the \\"appArmorProfile\\" field instead"',
    ]);
  });

  test('can change its image and little else', async () => {
    await create('changes');
    const changed = await patch('changes', { spec: { containers: [{ name: 'c', image: 'j' }] } });
    expect(changed.body).toMatchObject({ metadata: { generation: 2 }, spec: { containers: [{ image: 'j' }] } });
    expect((await patch('changes', { metadata: { labels: { a: 'b' } } })).body).toMatchObject({
      metadata: { generation: 2 },
    });
    const refused = await patch('changes', { spec: { hostname: 'h' } });
    expect(textOf(refused)).toMatch(
      /^422 Pod "changes" is invalid: spec: Forbidden: pod updates may not change fields other than /,
    );
    expect(textOf(await patch('changes', { spec: { containers: [] } }))).toContain(
      'spec.containers: Forbidden: pod updates may not add or remove containers',
    );
    await patch('changes', { spec: { activeDeadlineSeconds: 5 } });
    expect(textOf(await patch('changes', { spec: { activeDeadlineSeconds: 6 } }))).toBe(
      '422 Pod "changes" is invalid: spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value',
    );
    expect((await patch('changes', { spec: { tolerations: [{ operator: 'Exists' }] } })).status).toBe(200);
    expect(textOf(await patch('changes', { spec: { tolerations: null } }))).toBe(
      '422 Pod "changes" is invalid: spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    );
  });

  test('can get ephemeral containers but not lose them', async () => {
    await create('debugged');
    const added = await patch('debugged/ephemeralcontainers', {
      spec: { hostname: 'ignored', ephemeralContainers: [{ name: 'e', image: 'i' }] },
    });
    expect(added.body).toMatchObject({ metadata: { generation: 2 }, spec: { ephemeralContainers: [{ name: 'e' }] } });
    expect(objectAt(added.body, 'spec')).not.toHaveProperty('hostname');
    expect(textOf(await patch('debugged/ephemeralcontainers', { spec: { ephemeralContainers: [] } }))).toContain(
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers \\"e\\" may not be removed'.replaceAll(
        '\\',
        '',
      ),
    );
  });

  test('can be resized within its QoS class', async () => {
    const resources = { requests: { cpu: '1' }, limits: { cpu: '2' } };
    await create('resized', { containers: [{ name: 'c', image: 'i', resources }] });
    const resize = (to: JsonObject): Promise<TestAnswer> =>
      patch('resized/resize', { spec: { containers: [{ name: 'c', image: 'other', resources: to }] } });
    const larger = await resize({ requests: { cpu: '1500m' }, limits: { cpu: '2' } });
    expect(larger.body).toMatchObject({
      metadata: { generation: 2 },
      spec: { containers: [{ image: 'i', resources: { requests: { cpu: '1500m' } } }] },
    });
    expect(textOf(await resize({ requests: {}, limits: {} }))).toContain(
      'Pod QOS Class may not change as a result of resizing',
    );
    expect(
      textOf(await resize({ requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', 'x.y/z': '1' } })),
    ).toContain('only cpu and memory resources are mutable');
  });

  test('keeps status fields that clients omit, and rejects a restart that no policy allows', async () => {
    await create('told', { ...SPEC, restartPolicy: 'Never' });
    const ended = [{ name: 'c', state: { terminated: { exitCode: 1 } } }];
    const told = await patch('told/status', {
      status: { phase: 'Failed', qosClass: null, observedGeneration: 1, containerStatuses: ended },
    });
    expect(told.body['status']).toMatchObject({ phase: 'Failed', qosClass: 'BestEffort', observedGeneration: 1 });
    expect((await patch('told/status', { status: { observedGeneration: null } })).body['status']).toMatchObject({
      observedGeneration: 1,
    });
    const again = await patch('told/status', {
      status: { containerStatuses: [{ name: 'c', state: { running: {} } }] },
    });
    expect(textOf(again)).toContain(
      'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
    );
    expect(textOf(await patch('told/status', { status: { qosClass: 'Burstable' } }))).toContain(
      'status.qosClass: Invalid value: "Burstable": field is immutable',
    );
  });

  test('is deleted at once without a node and gracefully with one', async () => {
    await create('unbound');
    expect((await kube.request('DELETE', `${PODS}/unbound`)).body).toMatchObject({
      kind: 'Pod',
      metadata: { deletionGracePeriodSeconds: 0 },
    });
    expect((await kube.request('GET', `${PODS}/unbound`)).status).toBe(404);
    await create('bound', BOUND);
    expect((await kube.request('DELETE', `${PODS}/bound`)).body).toMatchObject({
      metadata: { generation: 2, deletionGracePeriodSeconds: 30, deletionTimestamp: '2030-01-01T00:00:30Z' },
    });
    await kube.request('DELETE', `${PODS}/bound?gracePeriodSeconds=0`);
    expect((await kube.request('GET', `${PODS}/bound`)).status).toBe(404);
  });

  test('is found by negated field selectors', async () => {
    await create('networked', { ...SPEC, hostNetwork: true });
    const named = async (selector: string): Promise<string> => {
      const { body } = await kube.request('GET', `${PODS}?fieldSelector=${encodeURIComponent(selector)}`);
      return JSON.stringify((body['items'] as JsonObject[]).map((item) => textAt(item, 'metadata', 'name')));
    };
    expect(await named('spec.hostNetwork=true')).toBe('["networked"]');
    expect(await named('spec.hostNetwork=false,metadata.name=begins')).toBe('["begins"]');
  });
});

describe('a binding', () => {
  const bind = (name: string, target: JsonObject, metadata: JsonObject = {}): Promise<TestAnswer> =>
    kube.request('POST', `${PODS}/${name}/binding`, { metadata: { name, ...metadata }, target });

  test('binds a pod to a node once', async () => {
    await create('binds');
    const bound = await bind('binds', { name: 'n' }, { annotations: { a: 'b' }, labels: { c: 'd' } });
    expect(bound).toMatchObject({ status: 201, body: { kind: 'Status', status: 'Success', code: 201 } });
    expect(await get('binds')).toMatchObject({
      metadata: { generation: 1, annotations: { a: 'b' }, labels: { c: 'd' } },
      spec: { nodeName: 'n' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True', lastProbeTime: null }] },
    });
    expect(textOf(await bind('binds', { name: 'm' }))).toBe(
      '409 Operation cannot be fulfilled on pods/binding "binds": pod binds is already assigned to node "n"',
    );
  });

  test('is rejected for an invalid target', async () => {
    await create('refuses', { ...SPEC, schedulingGates: [{ name: 'g' }] });
    expect(textOf(await bind('refuses', { name: 'n' }))).toContain('pod refuses has non-empty .spec.schedulingGates');
    expect(textOf(await bind('refuses', { kind: 'Foo' }))).toBe(
      '500 [target.kind: Unsupported value: "Foo": supported values: "Node", "<empty>", target.name: Required value]',
    );
    expect(textOf(await bind('refuses', { name: 'n' }, { name: 'other' }))).toBe(
      '400 name in URL does not match name in Binding object',
    );
    expect(textOf(await bind('refuses', { name: 'n' }, { uid: 'x' }))).toContain(
      'Precondition failed: UID in precondition: x',
    );
    expect(textOf(await bind('none', { name: 'n' }))).toBe('404 pods "none" not found');
  });

  test('can be posted to bindings', async () => {
    await create('legacy');
    const body = { metadata: { name: 'legacy' }, target: { name: 'n' } };
    expect((await kube.request('POST', '/api/v1/namespaces/default/bindings', body)).status).toBe(201);
    expect(await get('legacy')).toMatchObject({ spec: { nodeName: 'n' } });
  });
});

describe('an eviction', () => {
  const evict = (name: string, deleteOptions: JsonObject = {}, query = ''): Promise<TestAnswer> =>
    kube.request('POST', `${PODS}/${name}/eviction${query}`, { metadata: { name }, deleteOptions });
  const run = async (name: string, ready: string): Promise<void> => {
    await create(name, BOUND, { labels: { app: 'e' } });
    await patch(`${name}/status`, { status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] } });
  };
  const budget = (status: JsonObject): Promise<TestAnswer> => kube.request('PATCH', `${BUDGETS}/b/status`, { status });
  const causeOf = ({ status, body }: TestAnswer): unknown => [
    status,
    (objectAt(body, 'details')?.['causes'] as JsonObject[] | undefined)?.[0]?.['message'],
  ];

  test('of a pending pod needs no budget', async () => {
    await create('waits', BOUND);
    expect((await evict('waits')).status).toBe(201);
    expect(await get('waits')).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 30 },
      status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }] },
    });
  });

  test('of a healthy pod decrements disruptionsAllowed of its budget', async () => {
    const selector = { matchLabels: { app: 'e' } };
    await kube.request('POST', BUDGETS, { metadata: { name: 'b' }, spec: { minAvailable: 1, selector } });
    await run('healthy', 'True');
    expect(causeOf(await evict('healthy'))).toEqual([
      429,
      'The disruption budget b is still being processed by the server.',
    ]);
    await budget({ observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 });
    expect(causeOf(await evict('healthy'))).toEqual([
      429,
      'The disruption budget b needs 1 healthy pods and has 1 currently',
    ]);
    await budget({ currentHealthy: 3, disruptionsAllowed: 1 });
    expect((await evict('healthy', {}, '?dryRun=All')).status).toBe(201);
    expect((await get('healthy'))['metadata']).not.toHaveProperty('deletionTimestamp');
    expect((await evict('healthy')).status).toBe(201);
    expect((await kube.request('GET', `${BUDGETS}/b`)).body['status']).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { healthy: '2030-01-01T00:00:00Z' },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', message: '' }],
    });
    expect(await get('healthy')).toMatchObject({ metadata: { deletionGracePeriodSeconds: 30 } });
  });

  test('of an unready pod needs no disruption while enough pods are healthy', async () => {
    await run('unready', 'False');
    expect((await evict('unready')).status).toBe(201);
  });

  test('respects preconditions', async () => {
    await create('expected', BOUND);
    expect(textOf(await evict('expected', { preconditions: { uid: 'x' } }))).toContain(
      'Operation cannot be fulfilled on Pod "expected": the UID in the precondition (x) does not match',
    );
  });

  test('of a pod with two budgets is rejected', async () => {
    await kube.request('POST', BUDGETS, { metadata: { name: 'c' }, spec: { minAvailable: 1, selector: {} } });
    await run('doubly', 'True');
    expect(textOf(await evict('doubly'))).toBe(
      '500 This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  });
});

describe('a subresource that a kubelet serves', () => {
  const ask = async (path: string, method = 'GET'): Promise<string> => {
    try {
      return textOf(await kube.request(method, `${PODS}/${path}`));
    } catch (error) {
      return String(error);
    }
  };

  test('fails for a pod without a node', async () => {
    await create('alone', { containers: [...(SPEC['containers'] as JsonObject[]), { name: 'd', image: 'i' }] });
    expect(await ask('alone/exec?command=ls', 'POST')).toBe(
      '400 a container name must be specified for pod alone, choose one of: [c d]',
    );
    expect(await ask('alone/exec?command=ls&container=c', 'POST')).toBe('400 pod alone does not have a host assigned');
    expect(await ask('alone/attach?container=x')).toBe('400 container x is not valid for pod alone');
    expect(await ask('alone/portforward')).toBe('400 pod alone does not have a host assigned');
    expect(await ask('alone/proxy/index.html')).toBe('400 address not allowed');
    expect(await ask('alone/log?container=c&tailLines=x')).toBe('400 strconv.ParseInt: parsing "x": invalid syntax');
    expect(await ask('alone/log?container=c&tailLines=-1')).toBe(
      '422 PodLogOptions "alone" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    );
    expect(await ask('none/log')).toBe('404 pods "none" not found');
  });

  test('fails for a pod whose node does not exist or has no address', async () => {
    await create('lost', BOUND);
    expect(await ask('lost/log')).toBe('404 pods "nowhere" not found');
    await kube.request('POST', '/api/v1/nodes', { metadata: { name: 'somewhere' } });
    await create('found', { ...SPEC, nodeName: 'somewhere' });
    expect(await ask('found/log')).toBe('500 no preferred addresses found; known addresses: []');
  });

  // The test server has no authorization filter, so these are the answers of the endpoint.
  test.each(['exec', 'attach', 'portforward'])('%s needs the permission to create for a GET too', async (name) => {
    await create(`guarded-${name}`);
    const path = `${PODS}/guarded-${name}/${name}`;
    const [reader, creator] = [user(`${name}-reader`), user(`${name}-creator`)];
    await grant(kube, reader, [{ apiGroups: [''], resources: [`pods/${name}`], verbs: ['get'] }]);
    await grant(kube, creator, [
      { apiGroups: [''], resources: [`pods/${name}`], verbs: ['create'], resourceNames: [`guarded-${name}`] },
    ]);
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };
    for (const headers of [{}, upgrade, { connection: 'Upgrade', upgrade: 'SPDY/3.1' }]) {
      expect(textOf(await kube.request('GET', path, undefined, { as: reader, headers }))).toBe(
        `403 pods "guarded-${name}" is forbidden: `,
      );
      expect(textOf(await kube.request('GET', path, undefined, { as: creator, headers }))).toBe(
        `400 pod guarded-${name} does not have a host assigned`,
      );
    }
    expect(textOf(await kube.request('GET', `${PODS}/none/${name}`, undefined, { as: creator }))).toBe(
      '403 pods "none" is forbidden: ',
    );
  });

  test.each(['log', 'proxy'])('%s needs only the permission of the filter', async (name) => {
    expect(textOf(await kube.request('GET', `${PODS}/none/${name}`, undefined, { as: user('reader') }))).toBe(
      '404 pods "none" not found',
    );
  });
});
