import { describe, expect, it } from 'vitest';
import type { Transport } from '../apimachinery/http/transport.ts';
import { isNotFound, isServiceUnavailable } from '../apimachinery/status/status.ts';
import { EMPTY_BYTES, encodeUtf8 } from '../base/bytes.ts';
import { TransportError } from '../base/errors.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { resourcesOf } from './discovered.ts';
import { createDiscovery } from './discovery.ts';
import { collectionPath } from './paths.ts';

/** A server with these documents by path. */
function serverOf(documents: Readonly<Record<string, unknown>>): Transport {
  return async ({ target }) => {
    const document = documents[target];
    return {
      status: document === undefined ? 404 : 200,
      headers: {},
      body: encodeUtf8(document === undefined ? '404 page not found' : JSON.stringify(document)),
    };
  };
}

function aggregated(name: string, version: string, resources: unknown[]): unknown {
  return { metadata: { name }, versions: [{ version, resources }] };
}

const POD = {
  resource: 'pods',
  responseKind: { kind: 'Pod' },
  scope: 'Namespaced',
  singularResource: 'pod',
  shortNames: ['po'],
  categories: ['all'],
  verbs: ['get', 'list'],
  subresources: [{ subresource: 'log', responseKind: { kind: 'Pod' }, verbs: ['get'] }],
};
const NEW = serverOf({
  '/api': { kind: 'APIGroupDiscoveryList', items: [aggregated('', 'v1', [POD])] },
  '/apis': {
    kind: 'APIGroupDiscoveryList',
    items: [
      aggregated('apps', 'v1', [
        {
          resource: 'deployments',
          responseKind: { kind: 'Deployment' },
          scope: 'Namespaced',
          singularResource: 'deployment',
          shortNames: ['deploy'],
        },
      ]),
      aggregated('example.com', 'v2', [{ ...POD, shortNames: [], scope: 'Cluster' }]),
    ],
  },
});
const OLD = serverOf({
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/api/v1': {
    resources: [
      {
        name: 'pods',
        singularName: 'pod',
        namespaced: true,
        kind: 'Pod',
        shortNames: ['po'],
        categories: ['all'],
        verbs: ['get', 'list'],
      },
      { name: 'pods/log', singularName: '', namespaced: true, kind: 'Pod', verbs: ['get'] },
    ],
  },
  '/apis': {
    kind: 'APIGroupList',
    groups: [
      {
        name: 'apps',
        versions: [{ version: 'v1beta1' }, { version: 'v1' }],
        preferredVersion: { version: 'v1' },
      },
    ],
  },
  '/apis/apps/v1': { resources: [{ name: 'deployments', singularName: '', namespaced: true, kind: 'Deployment' }] },
  '/apis/apps/v1beta1': {
    resources: [{ name: 'deployments', singularName: '', namespaced: true, kind: 'Deployment' }],
  },
});

describe('a resource', () => {
  it.each([
    [NEW, 'pods', '/api/v1/namespaces/n/pods'],
    [NEW, 'po', '/api/v1/namespaces/n/pods'],
    [NEW, 'Pod', '/api/v1/namespaces/n/pods'],
    [NEW, 'pods.v1', '/api/v1/namespaces/n/pods'],
    [NEW, 'pods.example.com', '/apis/example.com/v2/pods'],
    [NEW, 'deploy', '/apis/apps/v1/namespaces/n/deployments'],
    [NEW, 'deployment.apps', '/apis/apps/v1/namespaces/n/deployments'],
    [NEW, 'deployments.v1.apps', '/apis/apps/v1/namespaces/n/deployments'],
    [OLD, 'po', '/api/v1/namespaces/n/pods'],
    [OLD, 'deployments', '/apis/apps/v1/namespaces/n/deployments'],
    [OLD, 'deployments.v1beta1.apps', '/apis/apps/v1beta1/namespaces/n/deployments'],
  ])('of %o is found as %s', async (transport, wanted, path) => {
    const found = await createDiscovery(transport).kindFor(wanted);
    expect(collectionPath(found, found.scope === 'Namespaced' ? 'n' : undefined)).toBe(path);
  });

  it('that does not exist is not found', async () => {
    const discovery = createDiscovery(NEW);
    expect(await discovery.find('deployments.example.com')).toBeUndefined();
    expect(await discovery.find('nothing')).toBeUndefined();
    await expect(discovery.kindFor('nothing')).rejects.toThrow('the server doesn\'t have a resource type "nothing"');
  });

  it('cannot be searched on a server that is none', async () => {
    const discovery = createDiscovery(serverOf({ '/api': { hello: 'world' }, '/apis': [] }));
    await expect(discovery.find('pods')).rejects.toThrow('GET /api: the response is not a discovery document');
  });

  it('has its verbs and subresources in both kinds of documents', async () => {
    const expected = {
      group: '',
      version: 'v1',
      kind: 'Pod',
      plural: 'pods',
      scope: 'Namespaced',
      singular: 'pod',
      shortNames: ['po'],
      categories: ['all'],
      verbs: ['get', 'list'],
      subresources: [{ name: 'log', kind: 'Pod', verbs: ['get'] }],
    };
    expect(await createDiscovery(NEW).kindOf('v1', 'Pod')).toEqual(expected);
    expect(await createDiscovery(OLD).kindOf('v1', 'Pod')).toEqual(expected);
  });
});

/** A server whose /apis is replaced by the test. It counts its requests. */
function changing(groups: unknown[]) {
  const state = { groups, requests: 0, unchanged: 0, fail: false, etag: '"1"' };
  const transport: Transport = async ({ target, headers }) => {
    state.requests++;
    if (state.fail) throw new TransportError('refused');
    if (target === '/api') return { status: 404, headers: {}, body: encodeUtf8('404 page not found') };
    if (headers?.['if-none-match'] === state.etag) {
      state.unchanged++;
      return { status: 304, headers: {}, body: EMPTY_BYTES };
    }
    const document = { kind: 'APIGroupDiscoveryList', items: state.groups };
    return { status: 200, headers: { etag: state.etag }, body: encodeUtf8(JSON.stringify(document)) };
  };
  return { state, transport };
}

const FOO = {
  resource: 'foos',
  responseKind: { kind: 'Foo' },
  scope: 'Namespaced',
  verbs: ['list', 'watch', 'delete'],
};
const GROUP = (version: string, resources: unknown[], freshness = 'Current'): unknown => ({
  metadata: { name: 'example.com' },
  versions: [{ version, resources, freshness }],
});

describe('the cache of discovery', () => {
  it('reads the server once, and again when it is old or invalidated', async () => {
    const clock = new VirtualClock();
    const { state, transport } = changing([GROUP('v1', [FOO])]);
    const discovery = createDiscovery(transport, { clock, maxAgeMs: 1000 });
    await Promise.all([discovery.snapshot(), discovery.snapshot(), discovery.kindOf('example.com/v1', 'Foo')]);
    expect(state.requests).toBe(2);
    await clock.advance(999);
    const before = await discovery.snapshot();
    expect(state.requests).toBe(2);
    await clock.advance(1);
    expect(await discovery.snapshot()).toBe(before);
    expect(state).toMatchObject({ requests: 4, unchanged: 1 });
    discovery.invalidate();
    await discovery.snapshot();
    expect(state).toMatchObject({ requests: 6, unchanged: 2 });
  });

  it('does not answer a call after an invalidation from a read before it', async () => {
    const { state, transport } = changing([]);
    const discovery = createDiscovery(transport, { clock: new VirtualClock() });
    const first = discovery.snapshot();
    state.groups = [GROUP('v1', [FOO])];
    state.etag = '"2"';
    discovery.invalidate();
    const second = discovery.snapshot();
    expect(resourcesOf(await first)).toHaveLength(0);
    expect(resourcesOf(await second)).toHaveLength(1);
    expect(state.requests).toBe(4);
  });

  it('reads again for a kind that is new, but not without bounds', async () => {
    const clock = new VirtualClock();
    const { state, transport } = changing([]);
    const discovery = createDiscovery(transport, { clock });
    await discovery.snapshot();
    state.groups = [GROUP('v1', [FOO])];
    state.etag = '"2"';
    expect(await discovery.kindOf('example.com/v1', 'Foo')).toMatchObject({ plural: 'foos', scope: 'Namespaced' });
    expect(state.requests).toBe(4);
    for (let i = 0; i < 100; i++) expect(await discovery.find('unknown')).toBeUndefined();
    expect(state.requests).toBe(2 + 2 * 10);
    await clock.advance(3_000);
    for (let i = 0; i < 100; i++) expect(await discovery.find('unknown')).toBeUndefined();
    expect(state.requests).toBe(2 + 2 * 13);
  });

  it('keeps what it knows while the server does not answer', async () => {
    const { state, transport } = changing([GROUP('v1', [FOO])]);
    const discovery = createDiscovery(transport, { clock: new VirtualClock() });
    state.fail = true;
    await expect(discovery.snapshot()).rejects.toThrow('refused');
    state.fail = false;
    await discovery.snapshot();
    state.fail = true;
    discovery.invalidate();
    expect(resourcesOf(await discovery.snapshot())).toHaveLength(1);
    await expect(discovery.refresh()).rejects.toThrow('refused');
  });

  it('keeps the resources of a version whose server does not answer, and reports it', async () => {
    const { state, transport } = changing([GROUP('v1', [FOO])]);
    const discovery = createDiscovery(transport, { clock: new VirtualClock() });
    await discovery.snapshot();
    state.groups = [GROUP('v1', [], 'Stale')];
    state.etag = '"2"';
    const stale = await discovery.refresh();
    expect(stale.unavailable).toEqual([{ group: 'example.com', version: 'v1', message: 'its server does not answer' }]);
    expect(await discovery.kindOf('example.com/v1', 'Foo')).toMatchObject({ plural: 'foos' });
    expect(isServiceUnavailable(await discovery.kindOf('example.com/v1', 'Bar').catch((e) => e))).toBe(true);
    expect(isNotFound(await discovery.kindOf('other.com/v1', 'Bar').catch((e) => e))).toBe(true);
    // The tag of partial content is not used.
    expect(state.unchanged).toBe(0);
    state.groups = [];
    state.etag = '"3"';
    expect(await discovery.refresh()).toEqual({ groups: [], unavailable: [] });
  });

  it('survives a failing version in the older documents', async () => {
    let broken = false;
    const documents: Record<string, unknown> = {
      '/api': { kind: 'APIVersions', versions: ['v1'] },
      '/api/v1': { resources: [{ name: 'pods', namespaced: true, kind: 'Pod', verbs: ['list'] }] },
      '/apis': {
        kind: 'APIGroupList',
        groups: ['a.com', 'b.com', 'gone.com'].map((name) => ({ name, versions: [{ version: 'v1' }] })),
      },
      '/apis/a.com/v1': { resources: [{ name: 'as', kind: 'A', verbs: ['list', 'delete'] }] },
      '/apis/b.com/v1': { resources: [{ name: 'bs', kind: 'B', verbs: ['list'] }] },
    };
    const server = serverOf(documents);
    const transport: Transport = (request) =>
      broken && request.target === '/apis/a.com/v1'
        ? Promise.resolve({ status: 503, headers: {}, body: encodeUtf8('service unavailable') })
        : server(request);
    const discovery = createDiscovery(transport, { clock: new VirtualClock() });
    const names = async () => (await discovery.resources()).map(({ plural }) => plural);
    expect(await names()).toEqual(['pods', 'as', 'bs']);
    broken = true;
    const snapshot = await discovery.refresh();
    expect(await names()).toEqual(['pods', 'as', 'bs']);
    expect(snapshot.unavailable).toMatchObject([{ group: 'a.com', version: 'v1' }]);
    expect((await discovery.resources({ verbs: ['list', 'delete'] })).map(({ plural }) => plural)).toEqual(['as']);
  });

  it('prefers the first version of a group that has the verbs', async () => {
    const versions = [
      { version: 'v2', resources: [{ ...FOO, verbs: ['get'] }] },
      { version: 'v1', resources: [FOO] },
    ];
    const { transport } = changing([{ metadata: { name: 'example.com' }, versions }]);
    const discovery = createDiscovery(transport, { clock: new VirtualClock() });
    expect((await discovery.resources()).map(({ version }) => version)).toEqual(['v2']);
    expect((await discovery.resources({ verbs: ['delete'] })).map(({ version }) => version)).toEqual(['v1']);
  });
});
