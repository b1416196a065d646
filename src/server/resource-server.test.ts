import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, failure, GADGETS, type TestServer } from './endpoints/endpoints.fixtures.ts';
import { storageVersionHash } from './installed-resources.ts';

describe('ResourceServer', () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await createTestServer();
  });

  afterEach(async () => {
    await server.stop();
  });

  const NOT_FOUND = [404, 'NotFound', 'the server could not find the requested resource'];
  const NOT_ALLOWED = [405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource'];

  async function outcome(method: string, target: string): Promise<readonly [number, string, string]> {
    return failure(await server.ask(method, target, method === 'GET' ? undefined : '{}'));
  }

  it('creates, reads, lists and deletes', async () => {
    const made = await server.ask('POST', GADGETS, { metadata: { name: 'a' }, data: { k: 'v' } });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ kind: 'Gadget', apiVersion: 'toys.test/v1', color: 'grey', data: { k: 'v' } });
    const got = await server.ask('GET', `${GADGETS}/a`);
    expect([got.status, got.text]).toEqual([200, made.text]);
    expect(got.headers['content-type']).toBe('application/json');
    expect(got.headers['cache-control']).toBe('no-cache, private');
    const list = await server.ask('GET', GADGETS);
    expect(list.body).toMatchObject({ kind: 'GadgetList', items: [{ metadata: { name: 'a' } }] });
    const gone = await server.ask('DELETE', `${GADGETS}/a`);
    expect(gone.status).toBe(200);
    expect(gone.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', group: 'toys.test', kind: 'gadgets', uid: 'uid-1' },
    });
    expect(failure(await server.ask('GET', `${GADGETS}/a`))).toEqual([
      404,
      'NotFound',
      'gadgets.toys.test "a" not found',
    ]);
  });

  it('passes unknown group-versions and non-resource requests to its delegate', async () => {
    for (const target of ['/apis/toys.test/v9/gadgets', '/apis/other.test/v1/gadgets', '/api/v2/yards', '/healthz'])
      expect((await server.ask('GET', target)).text).toBe('404 page not found\n');
  });

  it('answers 404 with empty details for a resource that the group-version does not have', async () => {
    const reply = await server.ask('GET', '/apis/toys.test/v1/gizmos');
    expect(failure(reply)).toEqual(NOT_FOUND);
    expect(reply.body['details']).toEqual({});
  });

  it('answers 404 for paths that no verb of the resource has', async () => {
    for (const target of [
      '/apis/toys.test/v1/gadgets/a',
      '/api/v1/namespaces/ns/yards',
      '/api/v1/namespaces/ns/yards/a',
      '/api/v1/namespaces/ns/namespaces',
      '/api/v1/namespaces/ns/namespaces/ns',
      '//api/v1/namespaces/ns/namespaces/ns//',
      `/api/v1/namespaces/ns/namespaces${'/'.repeat(60_000)}ns`,
      '/api/v1/namespaces//yards',
      `${GADGETS}/a/unknown`,
      `${GADGETS}/a/status/more`,
      '/api/v1/yards/a/status',
      '/apis/toys.test/v1/watch/gadgets/a',
      `/apis/toys.test/v1/watch/namespaces/ns/gadgets/a/status`,
      '/apis/toys.test/v1/proxy/namespaces/ns/gadgets/a',
      '/apis/toys.test/v1/namespaces/ns/opinions/a',
      '/apis/toys.test/v1/opinions',
    ])
      expect([target, await outcome('GET', target)]).toEqual([target, NOT_FOUND]);
  });

  it('answers 405 for methods that a path does not have', async () => {
    for (const [method, target] of [
      ['PUT', '/apis/toys.test/v1/gadgets'],
      ['POST', '/apis/toys.test/v1/gadgets'],
      ['DELETE', '/apis/toys.test/v1/gadgets'],
      ['PUT', GADGETS],
      ['PATCH', GADGETS],
      ['POST', `${GADGETS}/a`],
      ['FOO', `${GADGETS}/a`],
      ['OPTIONS', `${GADGETS}/a`],
      ['POST', `${GADGETS}/a/status`],
      ['GET', `${GADGETS}/a/stamp`],
      ['GET', '/apis/toys.test/v1/namespaces/ns/opinions'],
      ['POST', '/apis/toys.test/v1/watch/gadgets'],
    ] as const)
      expect([method, target, await outcome(method, target)]).toEqual([method, target, NOT_ALLOWED]);
    for (const target of [GADGETS, `${GADGETS}/a`, '/api/v1/yards'])
      expect((await server.ask('HEAD', target)).status).toBe(405);
  });

  it('ignores trailing slashes, and lists all namespaces for an empty namespace', async () => {
    await server.ask('POST', GADGETS, { metadata: { name: 'a' } });
    expect((await server.ask('GET', `${GADGETS}/a/`)).body).toMatchObject({ metadata: { name: 'a' } });
    expect((await server.ask('GET', '/apis/toys.test/v1/namespaces//gadgets')).body).toMatchObject({
      items: [{ metadata: { name: 'a' } }],
    });
  });

  it('distinguishes a Namespace object from the resources in it', async () => {
    expect((await server.ask('POST', '/api/v1/namespaces', { metadata: { name: 'ns' } })).status).toBe(201);
    expect((await server.ask('GET', '/api/v1/namespaces/ns')).body).toMatchObject({
      kind: 'Space',
      metadata: { name: 'ns' },
    });
    expect((await server.ask('GET', '/api/v1/namespaces/ns/status')).status).toBe(200);
    expect((await server.ask('GET', '/api/v1/namespaces/ns')).body['metadata']).not.toHaveProperty('namespace');
  });

  it('requires a name where the path has an empty one', async () => {
    expect(await outcome('GET', `${GADGETS}//status`)).toEqual([400, 'BadRequest', 'name must be provided']);
  });

  it('warns about deprecated versions on every request', async () => {
    await server.ask('POST', GADGETS, { metadata: { name: 'a' } });
    const reply = await server.ask('GET', '/apis/toys.test/v1beta1/namespaces/ns/gadgets/a');
    expect(reply.body['apiVersion']).toBe('toys.test/v1beta1');
    expect(reply.warnings).toEqual(['299 - "toys.test/v1beta1 Gadget is deprecated"']);
    expect((await server.ask('GET', `${GADGETS}/a`)).warnings).toEqual([]);
  });

  it('publishes its resources with the verbs of their stores', () => {
    const version = server.published.get('toys.test/v1');
    expect(version).toMatchObject({ groupPriority: 1000, versionPriority: 10, stale: false });
    expect(version?.resources.map(({ plural }) => plural)).toEqual(['gadgets', 'opinions', 'widgets']);
    const all = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
    expect(version?.resources[0]).toMatchObject({
      singular: 'gadget',
      shortNames: ['gd'],
      categories: ['all'],
      scope: 'Namespaced',
      kind: { group: 'toys.test', version: 'v1', kind: 'Gadget' },
      verbs: all,
      subresources: [
        { name: 'echo', verbs: ['create', 'get'] },
        { name: 'stamp', kind: { kind: 'Stamp' }, verbs: ['create'] },
        { name: 'status', kind: { kind: 'Gadget' }, verbs: ['get', 'patch', 'update'] },
      ],
    });
    expect(version?.resources[1]).toMatchObject({ verbs: ['create'], storageVersionHash: '' });
    expect(
      server.documents
        .get('toys.test/v1')
        ?.resources()
        .map(({ definition }) => definition.plural),
    ).toEqual(['gadgets', 'widgets', 'opinions']);
    expect(server.published.has('toys.test/v1beta1')).toBe(true);
    expect(server.published.has('/v1')).toBe(true);
  });

  it('hashes storage versions as the reference does', () => {
    // From kube-apiserver 1.36.3: `kubectl get --raw /api/v1`.
    expect(storageVersionHash({ group: '', version: 'v1', kind: 'ConfigMap' })).toBe('qFsyl6wFWjQ=');
    expect(storageVersionHash({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'Role' })).toBe(
      '7FuwZcIIItM=',
    );
  });

  it('stops serving uninstalled resources and removes them from discovery and OpenAPI', async () => {
    const [gadgets, ...others] = server.opened;
    server.resources.uninstall([gadgets!]);
    expect(failure(await server.ask('GET', GADGETS))).toEqual(NOT_FOUND);
    expect(server.published.has('toys.test/v1beta1')).toBe(false);
    expect(server.published.get('toys.test/v1')?.resources.map(({ plural }) => plural)).toEqual([
      'opinions',
      'widgets',
    ]);
    server.resources.uninstall(others);
    expect([server.published.size, server.documents.size]).toEqual([0, 0]);
    expect((await server.ask('GET', '/api/v1/yards')).text).toBe('404 page not found\n');
  });

  it('refuses to install a resource twice', () => {
    const options = { groupPriority: () => 1, versionPriority: () => 1, typeName: () => undefined };
    expect(() => server.resources.install(server.opened.slice(0, 1), options)).toThrow(
      /gadgets of toys.test\/v1 is installed already/,
    );
  });
});
