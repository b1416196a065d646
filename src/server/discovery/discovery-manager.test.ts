import { describe, expect, it } from 'vitest';
import { list, struct } from '../../apimachinery/protobuf/core-facts.fixtures.ts';
import { decodeMessage } from '../../apimachinery/protobuf/decode.ts';
import { decodeEnvelope } from '../../apimachinery/protobuf/envelope.ts';
import { statusOf } from '../../apimachinery/status/status.ts';
import { decodeUtf8 } from '../../base/bytes.ts';
import { bytesOf, requestOf } from '../http/requests.fixtures.ts';
import { DiscoveryManager } from './discovery-manager.ts';
import type { DiscoveryResource, DiscoveryVersion } from './discovery-publisher.ts';

const ALL = ['create', 'delete', 'get', 'list', 'watch'];
const V2 = 'application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io';

function resource(
  group: string,
  version: string,
  kind: string,
  more: Partial<DiscoveryResource> = {},
): DiscoveryResource {
  const singular = kind.toLowerCase();
  return {
    plural: `${singular}s`,
    singular,
    shortNames: [],
    categories: [],
    scope: 'Namespaced',
    kind: { group, version, kind },
    verbs: ALL,
    storageVersionHash: '',
    subresources: [],
    ...more,
  };
}

function version(group: string, name: string, more: Partial<DiscoveryVersion> = {}): DiscoveryVersion {
  return {
    group,
    version: name,
    resources: [resource(group, name, 'Thing')],
    groupPriority: 1000,
    versionPriority: 10,
    stale: false,
    ...more,
  };
}

const core = version('', 'v1', {
  ownsGroup: true,
  resources: [
    resource('', 'v1', 'ServiceAccount', {
      shortNames: ['sa'],
      categories: ['all'],
      storageVersionHash: 'pbx9ZvyFpBE=',
      subresources: [
        { name: 'token', kind: { group: 'auth.example', version: 'v1', kind: 'TokenRequest' }, verbs: ['create'] },
        { name: 'status', kind: { group: '', version: 'v1', kind: 'ServiceAccount' }, verbs: ['get'] },
      ],
    }),
  ],
});

const apiResource = struct('APIResource', ['name', 1, 'string'], ['version', 9, 'string', '?']);
const resourceList = struct('APIResourceList', ['groupVersion', 1, 'string'], ['resources', 2, list(apiResource)]);

function manager(...versions: DiscoveryVersion[]): DiscoveryManager {
  const made = new DiscoveryManager({
    types: { view: () => resourceList, typeName: () => undefined },
    addresses: () => [{ clientCIDR: '0.0.0.0/0', serverAddress: '10.1.2.3:6443' }],
  });
  for (const one of versions) made.publish(one);
  return made;
}

function text(from: DiscoveryManager, target: string, accept?: string): string {
  return decodeUtf8(bytesOf(from.handle(requestOf(target, accept === undefined ? {} : { accept }))).body);
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (caught) {
    const status = statusOf(caught);
    return `${status?.code} ${status?.reason} ${status?.message}`;
  }
  return 'none';
}

describe('legacy discovery', () => {
  it('answers for the core group without an apiVersion, resources followed by their subresources', () => {
    const made = manager(core);
    expect(text(made, '/api')).toBe(
      '{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"10.1.2.3:6443"}]}\n',
    );
    const list =
      '{"kind":"APIResourceList","groupVersion":"v1","resources":[' +
      '{"name":"serviceaccounts","singularName":"serviceaccount","namespaced":true,"kind":"ServiceAccount","verbs":["create","delete","get","list","watch"],"shortNames":["sa"],"categories":["all"],"storageVersionHash":"pbx9ZvyFpBE="},' +
      '{"name":"serviceaccounts/status","singularName":"","namespaced":true,"kind":"ServiceAccount","verbs":["get"]},' +
      '{"name":"serviceaccounts/token","singularName":"","namespaced":true,"group":"auth.example","version":"v1","kind":"TokenRequest","verbs":["create"]}]}\n';
    for (const path of ['/api/v1', '/api/v1/', '/api/v1//']) expect(text(made, path), path).toBe(list);
  });

  it('sorts groups by priority, then by name, and versions by priority, then as Kubernetes orders them', () => {
    const made = manager(
      version('b.example', 'v1'),
      version('a.example', 'v1'),
      version('c.example', 'v1beta1', { groupPriority: 2000 }),
      version('c.example', 'v2'),
      version('c.example', 'v1', { versionPriority: 20 }),
      core,
    );
    const groups = JSON.parse(text(made, '/apis')).groups as { name: string; versions: { version: string }[] }[];
    expect(groups.map(({ name, versions }) => [name, ...versions.map((v) => v.version)])).toEqual([
      ['c.example', 'v1', 'v2', 'v1beta1'],
      ['a.example', 'v1'],
      ['b.example', 'v1'],
    ]);
    expect(text(made, '/apis/a.example/')).toBe(
      '{"kind":"APIGroup","apiVersion":"v1","name":"a.example","versions":[{"groupVersion":"a.example/v1","version":"v1"}],"preferredVersion":{"groupVersion":"a.example/v1","version":"v1"}}\n',
    );
    expect(made.versions().map((v) => `${v.group}/${v.version}`)).toEqual([
      '/v1',
      'c.example/v1',
      'c.example/v2',
      'c.example/v1beta1',
      'a.example/v1',
      'b.example/v1',
    ]);
  });

  it('returns undefined for paths that are not discovery', () => {
    const made = manager(version('a.example', 'v1'));
    for (const path of ['/api', '/apis/b.example', '/apis/a.example/v2', '/apis//', '//apis', '/apix', '/', '/version'])
      expect(made.handle(requestOf(path)), path).toBeUndefined();
    expect(made.handle(requestOf('/apis/a.example/v1/things'))).toBeUndefined();
  });

  it('answers with a Status for an unknown version of an owned group', () => {
    expect(refusal(() => manager(core).handle(requestOf('/api/v9')))).toBe(
      '404 NotFound the server could not find the requested resource',
    );
  });

  it('accepts every method where the reference does, and only GET elsewhere', () => {
    const made = manager(core, version('a.example', 'v1'));
    for (const path of ['/apis', '/apis/a.example'])
      expect(bytesOf(made.handle(requestOf(path, {}, 'POST'))).status, path).toBe(200);
    for (const path of ['/api', '/api/v1', '/apis/a.example/v1'])
      expect(
        refusal(() => made.handle(requestOf(path, {}, 'POST'))),
        path,
      ).toBe('405 MethodNotAllowed the server does not allow this method on the requested resource');
  });

  it('refuses media types with the message of the router or of the negotiation', () => {
    const made = manager(core);
    const types = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
    expect(refusal(() => made.handle(requestOf('/api/v1', { accept: 'text/html' })))).toBe(
      `406 NotAcceptable 406: Not Acceptable\n\nAvailable representations: ${types}`,
    );
    for (const [path, accept] of [
      ['/apis', 'text/html'],
      ['/api/v1', 'application/json;as=Table;v=v1;g=meta.k8s.io'],
      ['/apis/', V2],
    ] as const)
      expect(
        refusal(() => made.handle(requestOf(path, { accept }))),
        path,
      ).toBe(`406 NotAcceptable only the following media types are accepted: ${types}`);
  });

  it('answers in YAML, indented, and in protobuf', () => {
    const made = manager(core);
    expect(text(made, '/api/v1', 'application/yaml')).toMatch(
      /^groupVersion: v1\nkind: APIResourceList\nresources:\n- /,
    );
    expect(text(made, '/apis?pretty=1')).toBe('{\n  "kind": "APIGroupList",\n  "apiVersion": "v1",\n  "groups": []\n}');
    const { body, headers } = bytesOf(
      made.handle(requestOf('/api/v1', { accept: 'application/vnd.kubernetes.protobuf' })),
    );
    expect(headers['content-type']).toBe('application/vnd.kubernetes.protobuf');
    const opened = decodeEnvelope(body);
    if (!opened.ok) throw new Error(opened.error.message);
    expect(opened.envelope.kind).toBe('APIResourceList');
    const decoded = decodeMessage(resourceList, opened.envelope.raw);
    expect(decoded).toMatchObject({
      ok: true,
      value: { resources: [{ name: 'serviceaccounts' }, {}, { version: 'v1' }] },
    });
  });

  it('does not support protobuf without the types', () => {
    const made = new DiscoveryManager();
    made.publish(core);
    const accept = 'application/vnd.kubernetes.protobuf, */*';
    expect(bytesOf(made.handle(requestOf('/api/v1', { accept }))).headers['content-type']).toBe('application/json');
  });
});

describe('aggregated discovery', () => {
  const custom = version('a.example', 'v1', { namesKindsInFull: true, stale: true });

  it('shows the resources of another server unchanged', () => {
    const given = { resource: 'gears', scope: 'Namespaced', verbs: ['get'], futureField: 1 };
    const made = manager(version('remote.example', 'v1', { resources: [], givenResources: [given], stale: true }));
    const body = JSON.parse(decodeUtf8(bytesOf(made.handle(requestOf('/apis', { accept: V2 }))).body));
    expect(body.items[0].versions[0]).toEqual({ version: 'v1', resources: [given], freshness: 'Stale' });
  });

  it('has all groups in one document, kinds in full only for custom resources', () => {
    const made = manager(core, custom);
    expect(text(made, '/apis', V2)).toBe(
      '{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{"name":"a.example"},"versions":[' +
        '{"version":"v1","resources":[{"resource":"things","responseKind":{"group":"a.example","version":"v1","kind":"Thing"},"scope":"Namespaced","singularResource":"thing","verbs":["create","delete","get","list","watch"]}],"freshness":"Stale"}]}]}\n',
    );
    const [group] = JSON.parse(text(made, '/api', V2)).items;
    expect(group.metadata).toEqual({});
    expect(group.versions[0].resources[0]).toMatchObject({
      responseKind: { group: '', version: '', kind: 'ServiceAccount' },
      subresources: [
        { subresource: 'status' },
        { responseKind: { group: 'auth.example', version: 'v1', kind: 'TokenRequest' } },
      ],
    });
  });

  it('names the form in the content type, in v2 and v2beta1, and wins over plain forms at any position of Accept', () => {
    const made = manager(core, custom);
    const beta = V2.replace('v2;', 'v2beta1;');
    for (const [accept, shown] of [
      [V2, 'v2'],
      [`${beta},${V2}`, 'v2beta1'],
      [`application/json, ${V2}`, 'v2'],
    ] as const) {
      const { headers, body } = bytesOf(made.handle(requestOf('/apis', { accept })));
      expect(headers['content-type']).toBe(
        `application/json;g=apidiscovery.k8s.io;v=${shown};as=APIGroupDiscoveryList`,
      );
      expect(headers['cache-control']).toBe('public');
      expect(headers.vary).toBe('Accept');
      expect(JSON.parse(decodeUtf8(body)).apiVersion).toBe(`apidiscovery.k8s.io/${shown}`);
    }
  });

  it('answers 304 to the current ETag in every media type, until a publication changes it', () => {
    const made = manager(core, custom);
    const ask = (more: Record<string, string>) => bytesOf(made.handle(requestOf('/apis', { accept: V2, ...more })));
    const { etag } = ask({}).headers as { etag: string };
    expect(etag).toMatch(/^"[0-9A-F]{64}"$/);
    const again = ask({ 'if-none-match': etag });
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
    expect(ask({ accept: V2.replace('json', 'yaml') }).headers.etag).toBe(etag);
    made.publish(custom);
    expect(ask({}).headers.etag, 'the same facts').toBe(etag);
    made.publish({ ...custom, stale: false });
    expect(ask({ 'if-none-match': etag }).status).toBe(200);
  });

  it('keeps /api unchanged when other groups are published', () => {
    const made = manager(core, custom);
    const before = bytesOf(made.handle(requestOf('/api', { accept: V2 }))).body;
    made.publish(version('b.example', 'v1'));
    expect(bytesOf(made.handle(requestOf('/api', { accept: V2 }))).body).toBe(before);
    made.publish({ ...core, resources: [] });
    expect(text(made, '/api', V2)).not.toContain('serviceaccounts');
  });
});

describe('publishing', () => {
  it('replaces and removes versions, and removes a group with its last version', () => {
    const made = manager(version('a.example', 'v1'), version('a.example', 'v2'));
    expect(text(made, '/apis/a.example')).toContain('"preferredVersion":{"groupVersion":"a.example/v2"');
    made.remove({ group: 'a.example', version: 'v2' });
    expect(text(made, '/apis/a.example')).not.toContain('v2');
    made.publish(version('a.example', 'v1', { resources: [] }));
    expect(text(made, '/apis/a.example/v1')).toContain('"resources":[]');
    made.remove({ group: 'a.example', version: 'v1' });
    expect(made.handle(requestOf('/apis/a.example'))).toBeUndefined();
    expect(text(made, '/apis')).toContain('"groups":[]');
  });

  it('keeps the documents of versions that were not published again', () => {
    const made = manager(version('a.example', 'v1'), version('b.example', 'v1'));
    const bytes = (path: string) => bytesOf(made.handle(requestOf(path))).body;
    const [list, group, groups] = [bytes('/apis/a.example/v1'), bytes('/apis/a.example'), bytes('/apis')];
    made.publish(version('b.example', 'v1', { resources: [] }));
    expect(bytes('/apis/a.example/v1')).toBe(list);
    expect(bytes('/apis/a.example')).toBe(group);
    expect(bytes('/apis'), 'the groups are the same').toBe(groups);
    made.publish(version('c.example', 'v1'));
    expect(bytes('/apis')).not.toBe(groups);
  });

  it('calls listeners after publications and removals, not after removals of unknown versions', () => {
    const made = manager();
    const seen: string[] = [];
    const stop = made.onChange(({ group, version: name }) =>
      seen.push(`${group}/${name} ${made.get({ group, version: name }) !== undefined}`),
    );
    made.publish(core);
    made.remove({ group: '', version: 'v1' });
    made.remove({ group: '', version: 'v1' });
    stop();
    made.publish(core);
    expect(seen).toEqual(['/v1 true', '/v1 false']);
  });

  it('shows a remote version instead of a local one until it is removed', () => {
    const made = manager(version('a.example', 'v1'));
    const seen: string[] = [];
    made.onChange(({ group }) => seen.push(group));
    const remote = version('a.example', 'v1', { resources: [], givenResources: [], groupPriority: 2, stale: true });
    made.remote.publish(remote);
    expect(made.get(remote)).toBe(remote);
    expect(made.getLocal(remote)?.resources).toHaveLength(1);
    const local = version('a.example', 'v1');
    made.publish(local);
    expect(made.get(remote), 'a local publication does not replace it').toBe(remote);
    expect(made.localVersions()).toEqual([local]);
    expect(text(made, '/apis', V2)).toContain('"versions":[{"version":"v1","freshness":"Stale"}]');
    made.remote.remove(remote);
    expect(made.get(remote)).toBe(local);
    expect(text(made, '/apis/a.example/v1')).toContain('"things"');
    expect(seen).toEqual(['a.example', 'a.example', 'a.example']);
  });

  it('leaves the resources of a remote version to its server, and answers for its group', () => {
    const made = manager();
    made.remote.publish(version('a.example', 'v1', { givenResources: [] }));
    expect(made.handle(requestOf('/apis/a.example/v1'))).toBeUndefined();
    expect(text(made, '/apis/a.example')).toContain('"preferredVersion":{"groupVersion":"a.example/v1"');
    expect(text(made, '/apis')).toContain('a.example');
    made.remote.remove({ group: 'a.example', version: 'v1' });
    expect(text(made, '/apis')).toContain('"groups":[]');
  });

  it('sorts groups by their highest priority, and versions by priority, then by name', () => {
    const made = manager(version('b.example', 'v1'), version('c.example', 'v1', { groupPriority: 1500 }));
    made.remote.publish(version('b.example', 'v2', { groupPriority: 2000, versionPriority: 5 }));
    made.remote.publish(version('b.example', 'v10beta1', { groupPriority: 1 }));
    expect(made.versions().map(({ group, version: name }) => `${group}/${name}`)).toEqual([
      'b.example/v1',
      'b.example/v10beta1',
      'b.example/v2',
      'c.example/v1',
    ]);
  });

  it('lists the paths that it serves', () => {
    expect([...manager(core, version('a.example', 'v1'), version('a.example', 'v2')).paths()].sort()).toEqual([
      '/api',
      '/api/v1',
      '/apis',
      '/apis/',
      '/apis/a.example',
      '/apis/a.example/v1',
      '/apis/a.example/v2',
    ]);
  });
});
