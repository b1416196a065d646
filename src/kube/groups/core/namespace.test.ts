import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ADMIN, startTestKube, type TestKube } from '../../kube-server.fixtures.ts';

describe('namespaces', () => {
  let kube: TestKube;
  const create = (metadata: Record<string, string>) => kube.request('POST', '/api/v1/namespaces', { metadata });
  beforeAll(async () => {
    kube = await startTestKube();
  });
  afterAll(() => kube.stop());

  test('start Active, with a finalizer and a label with their name, even a generated one', async () => {
    const { status, body } = await create({ generateName: 'made-' });
    const { name } = body['metadata'] as { name: string };
    expect(status).toBe(201);
    expect(name).toMatch(/^made-.{5}$/);
    expect(body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  test('have DNS labels as names', async () => {
    expect((await create({ name: 'a.b' })).body['message']).toBe(
      'Namespace "a.b" is invalid: metadata.name: Invalid value: "a.b": must not contain dots',
    );
  });

  test('keep finalizers and status when the resource itself is updated', async () => {
    await create({ name: 'kept' });
    const { body } = await kube.request('PUT', '/api/v1/namespaces/kept', {
      metadata: { name: 'kept', labels: { a: 'b' } },
      spec: { finalizers: ['x.y/z'] },
      status: { phase: 'Terminating' },
    });
    expect(body).toMatchObject({
      metadata: { labels: { a: 'b', 'kubernetes.io/metadata.name': 'kept' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  test('change their phase only when they are deleted', async () => {
    await create({ name: 'phase' });
    const { body } = await kube.request('PUT', '/api/v1/namespaces/phase/status', {
      metadata: { name: 'phase' },
      status: { phase: 'Terminating' },
    });
    expect(body['details']).toMatchObject({
      causes: [
        {
          field: 'status.Phase',
          message: 'Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
        },
      ],
    });
  });

  test('accept only qualified finalizers in spec', async () => {
    await create({ name: 'final' });
    const { body } = await kube.request('PUT', '/api/v1/namespaces/final/finalize', {
      metadata: { name: 'final' },
      spec: { finalizers: ['bad'] },
    });
    expect(body['message']).toBe(
      'Namespace "final" is invalid: spec.finalizers[0]: Invalid value: "bad": name is neither a standard finalizer name nor is it fully qualified',
    );
  });

  test('stay Terminating, without a grace period, until they are finalized', async () => {
    await create({ name: 'going' });
    const first = await kube.request('DELETE', '/api/v1/namespaces/going');
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ kind: 'Namespace', status: { phase: 'Terminating' } });
    expect(first.warnings).toEqual([
      '299 - "the namespace stays Terminating until a namespace controller finalizes it; this server runs with its own turned off (--controllers)"',
    ]);
    const metadata = first.body['metadata'] as Record<string, unknown>;
    expect(metadata['deletionTimestamp']).toBeDefined();
    expect(metadata['deletionGracePeriodSeconds']).toBeUndefined();
    expect((await kube.request('DELETE', '/api/v1/namespaces/going')).body).toMatchObject({ kind: 'Namespace' });
    const refused = await kube.request('POST', '/api/v1/namespaces/going/configmaps', { metadata: { name: 'x' } });
    expect(refused.body).toMatchObject({
      code: 403,
      message:
        'configmaps "x" is forbidden: unable to create new content in namespace going because it is being terminated',
      details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
    });
    const finalize = { metadata: { name: 'going' }, spec: { finalizers: [] } };
    await kube.request('PUT', '/api/v1/namespaces/going/finalize', finalize);
    expect((await kube.request('GET', '/api/v1/namespaces/going')).status).toBe(404);
  });

  test('are not removed by the first delete even without finalizers', async () => {
    await create({ name: 'bare' });
    await kube.request('PUT', '/api/v1/namespaces/bare/finalize', { metadata: { name: 'bare' }, spec: {} });
    await kube.request('DELETE', '/api/v1/namespaces/bare');
    expect((await kube.request('GET', '/api/v1/namespaces/bare')).body).toMatchObject({
      status: { phase: 'Terminating' },
    });
    await kube.request('DELETE', '/api/v1/namespaces/bare');
    expect((await kube.request('GET', '/api/v1/namespaces/bare')).status).toBe(404);
  });

  test('show a grace period of zero once only metadata.finalizers are left', async () => {
    await create({ name: 'empty' });
    const held = { metadata: { name: 'empty', finalizers: ['example.com/hold'] } };
    await kube.request('PUT', '/api/v1/namespaces/empty/finalize', held);
    const grace = async () =>
      ((await kube.request('DELETE', '/api/v1/namespaces/empty')).body['metadata'] as Record<string, unknown>)[
        'deletionGracePeriodSeconds'
      ];
    expect([await grace(), await grace(), await grace()]).toEqual([undefined, 0, 0]);
  });

  test('report failed preconditions with messages of their own', async () => {
    await create({ name: 'expected' });
    const { body } = await kube.request('DELETE', '/api/v1/namespaces/expected', { preconditions: { uid: 'nope' } });
    expect(body).toMatchObject({ code: 409, details: { kind: 'namespaces' } });
    expect(body['message']).toMatch(
      /^Operation cannot be fulfilled on namespaces "expected": Precondition failed: UID in/,
    );
  });

  test('have no deletecollection, and system namespaces cannot be deleted', async () => {
    expect((await kube.request('DELETE', '/api/v1/namespaces')).status).toBe(405);
    for (const name of ['default', 'kube-system', 'kube-public'])
      expect((await kube.request('DELETE', `/api/v1/namespaces/${name}`)).body['message']).toBe(
        `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      );
  });

  test('must exist before an object is created in them, for every user', async () => {
    const answer = await kube.request(
      'POST',
      '/api/v1/namespaces/none/configmaps',
      { metadata: { name: 'x' } },
      { as: ADMIN },
    );
    expect(answer.body).toMatchObject({ code: 404, message: 'namespaces "none" not found' });
  });
});

describe('the default ServiceAccount', () => {
  let kube: TestKube;
  const path = (namespace: string): string => `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
  const statusOf = async (namespace: string): Promise<number> => (await kube.request('GET', path(namespace))).status;
  const start = async (from?: TestKube): Promise<TestKube> =>
    startTestKube({ admission: { enable: ['NamespaceAutoProvision'], disable: [] } }, from?.host);
  beforeEach(async () => {
    kube = await start();
  });
  afterEach(() => kube.stop());

  test('exists in the namespaces of a new server', async () => {
    for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease'])
      expect(await statusOf(name)).toBe(200);
    expect((await kube.request('GET', path('default'))).body).toEqual({
      kind: 'ServiceAccount',
      apiVersion: 'v1',
      metadata: {
        name: 'default',
        namespace: 'default',
        uid: expect.any(String),
        resourceVersion: expect.any(String),
        creationTimestamp: '2030-01-01T00:00:00Z',
      },
    });
  });

  test('exists when the creation of a namespace is answered', async () => {
    await kube.request('POST', '/api/v1/namespaces', { metadata: { name: 'made' } });
    expect(await statusOf('made')).toBe(200);
    const { body } = await kube.request('POST', '/api/v1/namespaces', { metadata: { generateName: 'made-' } });
    expect(await statusOf((body['metadata'] as { name: string }).name)).toBe(200);
    const apply = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'applied' } };
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    await kube.request('PATCH', '/api/v1/namespaces/applied?fieldManager=me', apply, { headers });
    expect(await statusOf('applied')).toBe(200);
    await kube.request('POST', '/api/v1/namespaces/provisioned/configmaps', { metadata: { name: 'c' } });
    expect(await statusOf('provisioned')).toBe(200);
  });

  test('is not created for a dry run, a refused namespace or an update', async () => {
    await kube.request('POST', '/api/v1/namespaces?dryRun=All', { metadata: { name: 'dry' } });
    expect(await statusOf('dry')).toBe(404);
    await kube.request('DELETE', path('default'));
    expect((await kube.request('POST', '/api/v1/namespaces', { metadata: { name: 'default' } })).status).toBe(409);
    const labelled = { metadata: { name: 'default', labels: { a: 'b' } } };
    expect((await kube.request('PUT', '/api/v1/namespaces/default', labelled)).status).toBe(200);
    expect(await statusOf('default')).toBe(404);
  });

  test('is restored at the next start, except in namespaces that are being deleted', async () => {
    for (const name of ['kept', 'going']) {
      await kube.request('POST', '/api/v1/namespaces', { metadata: { name } });
      await kube.request('DELETE', path(name));
    }
    await kube.request('DELETE', '/api/v1/namespaces/going');
    await kube.stop();
    kube = await start(kube);
    expect([await statusOf('kept'), await statusOf('going')]).toEqual([200, 404]);
  });
});
