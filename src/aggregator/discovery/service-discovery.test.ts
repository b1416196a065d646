import { afterEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../base/errors.ts';
import type { LogFields } from '../../base/logger.ts';
import { SILENT } from '../../base/logger.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { DiscoveryManager } from '../../server/discovery/discovery-manager.ts';
import { remoteOf, type TestAnswer, type TestBackend, type TestServer, testBackend } from '../backend.fixtures.ts';
import type { RemoteVersion } from '../remote-version.ts';
import { RemoteDiscovery } from './remote-discovery.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const DOWN = { availability: { status: 'False', reason: 'FailedDiscoveryCheck', message: '' } } as const;

function aggregated(versions: Readonly<Record<string, readonly string[]>>, etag = ''): TestAnswer {
  const items = Object.entries(versions).map(([name, plurals]) => {
    const [group, version] = name.split('/');
    const resources = plurals.map((resource) => ({
      resource,
      responseKind: { group: '', version: '', kind: resource },
      scope: 'Namespaced',
      verbs: ['get'],
    }));
    return { metadata: { name: group }, versions: [{ version, resources }] };
  });
  return {
    headers: { 'content-type': AGGREGATED, ...(etag !== '' && { etag }) },
    body: JSON.stringify({ kind: 'APIGroupDiscoveryList', items }),
  };
}

interface Setup {
  readonly clock: VirtualClock;
  readonly client: TestBackend;
  readonly manager: DiscoveryManager;
  readonly discovery: RemoteDiscovery;
  readonly logged: string[];
  set(version: RemoteVersion): void;
  /** Returns the versions in aggregated discovery, as `name Current a,b`. */
  shown(): string[];
}

describe('the discovery of remote versions', () => {
  const running: Setup[] = [];
  afterEach(async () => {
    for (const { discovery, clock, client } of running.splice(0)) {
      await discovery.stop();
      expect([clock.pendingTimers, client.open]).toEqual([0, 0]);
    }
  });

  function setup(server: TestServer): Setup {
    const clock = new VirtualClock();
    const client = testBackend(server);
    const manager = new DiscoveryManager();
    const logged: string[] = [];
    const log = (text: string, fields: LogFields = {}) => void logged.push(`${text}: ${fields['message'] ?? ''}`);
    const logger = { ...SILENT, warn: log, info: log };

    const discovery = new RemoteDiscovery({ client, publisher: manager.remote, clock, logger });
    const made: Setup = {
      clock,
      client,
      manager,
      discovery,
      logged,
      set: (version) => discovery.changed({ name: version.name, before: undefined, after: version }),
      shown: () =>
        manager.versions().map(({ group, version, stale, givenResources = [] }) => {
          const names = givenResources.map(({ resource }) => resource).join(',');
          return `${group}/${version} ${stale ? 'Stale' : 'Current'} ${names}`;
        }),
    };
    running.push(made);
    return made;
  }

  it('publishes a version at once, and its resources when its server has answered', async () => {
    const { set, shown, clock, client, manager, discovery } = setup(() => aggregated({ 'a.example/v1': ['gears'] }));
    set(remoteOf('a.example', 'v1', { groupPriority: 7, versionPriority: 3 }));
    expect(shown()).toEqual(['a.example/v1 Stale ']);
    await clock.advance(0);
    expect(shown()).toEqual(['a.example/v1 Current gears']);
    expect(manager.get({ group: 'a.example', version: 'v1' })).toMatchObject({ groupPriority: 7, versionPriority: 3 });
    expect(client.seen).toEqual(['GET /apis']);
    discovery.changed({ name: 'v1.a.example', before: undefined, after: undefined });
    expect(shown()).toEqual([]);
    await clock.advance(300_000);
    expect(client.seen).toHaveLength(1);
  });

  it('is settled when every server has answered, failed, or exceeded its time', async () => {
    const { set, clock, discovery } = setup((_, { service }) => {
      if (service.name === 'silent') return undefined;
      return service.name === 'dead' ? new TransportError('connection refused') : aggregated({});
    });
    for (const name of ['live', 'dead', 'silent'])
      set(remoteOf(`${name}.example`, 'v1', { service: { namespace: 'ns', name, port: 443 } }));
    let settled = false;
    const waiting = discovery.settled().then(() => {
      settled = true;
    });
    await clock.advance(4_999);
    expect(settled).toBe(false);
    await clock.advance(1);
    await waiting;
  });

  it('is settled while no server is available', async () => {
    const { set, discovery } = setup(() => undefined);
    set(remoteOf('a.example', 'v1', DOWN));
    await discovery.settled();
  });

  it('reads a service once for all of its versions, every minute, only if something changed', async () => {
    let tags: (string | undefined)[] = [];
    let answer = aggregated({ 'a.example/v1': ['gears'], 'b.example/v1': ['cogs'] }, '"1"');
    const { set, shown, clock } = setup(({ headers }) => {
      const tag = headers['if-none-match'] as string | undefined;
      tags.push(tag);
      return tag === answer.headers?.['etag'] ? { status: 304 } : answer;
    });
    set(remoteOf('a.example', 'v1'));
    set(remoteOf('b.example', 'v1'));
    await clock.advance(1000);
    expect(shown()).toEqual(['a.example/v1 Current gears', 'b.example/v1 Current cogs']);
    tags = [];
    await clock.advance(120_000);
    expect(tags).toEqual(['"1"', '"1"']);
    answer = aggregated({ 'a.example/v1': ['gears', 'pins'] }, '"2"');
    await clock.advance(60_000);
    expect(shown()).toEqual(['a.example/v1 Current gears,pins', 'b.example/v1 Current ']);
  });

  it('reads the whole document again when a version is added, whatever its ETag', async () => {
    const answer = aggregated({ 'a.example/v1': ['gears'], 'b.example/v1': ['cogs'] }, '"1"');
    const { set, shown, clock } = setup(({ headers }) =>
      headers['if-none-match'] === '"1"' ? { status: 304 } : answer,
    );
    set(remoteOf('a.example', 'v1'));
    await clock.advance(10_000);
    set(remoteOf('b.example', 'v1'));
    await clock.advance(0);
    expect(shown()).toEqual(['a.example/v1 Current gears', 'b.example/v1 Current cogs']);
  });

  it('reads the document again if a version was added while it was read', async () => {
    const answer = aggregated({ 'a.example/v1': ['gears'], 'b.example/v1': ['cogs'] }, '"1"');
    const made = setup(({ headers }) => {
      if (made.client.seen.length === 1) made.set(remoteOf('b.example', 'v1'));
      return headers['if-none-match'] === '"1"' ? { status: 304 } : answer;
    });
    made.set(remoteOf('a.example', 'v1'));
    await made.clock.advance(500);
    expect(made.shown()).toEqual(['a.example/v1 Current gears', 'b.example/v1 Current cogs']);
    expect(made.client.seen).toHaveLength(2);
  });

  it('publishes only changes', async () => {
    const { set, clock, manager } = setup(() => aggregated({ 'a.example/v1': ['gears'] }));
    let changes = 0;
    manager.onChange(() => changes++);
    set(remoteOf('a.example', 'v1'));
    await clock.advance(600_000);
    set(remoteOf('a.example', 'v1'));
    await clock.advance(600_000);
    expect(changes).toBe(2);
  });

  it('asks for the lists of a server without the aggregated form, one failure beside the others', async () => {
    const { set, shown, clock, client } = setup(({ target }) => {
      if (target === '/apis') return { status: 406 };
      if (target === '/apis/a.example/v2') return { status: 404 };
      const resources = [{ name: 'gears', namespaced: true, kind: 'Gear', verbs: ['get'] }];
      return { body: JSON.stringify({ kind: 'APIResourceList', resources }) };
    });
    set(remoteOf('a.example', 'v1'));
    set(remoteOf('a.example', 'v2'));
    await clock.advance(700);
    expect(shown()).toEqual(['a.example/v2 Stale ', 'a.example/v1 Current gears']);
    expect(client.seen).toContain('GET /apis/a.example/v1');
  });

  it('shows a version that fails as Stale without resources, but knows the last ones', async () => {
    let answer: TestAnswer | Error = aggregated({ 'a.example/v1': ['gears'] });
    const { set, shown, clock, manager, logged } = setup(() => answer);
    set(remoteOf('a.example', 'v1'));
    await clock.advance(0);
    answer = new TransportError('dial tcp 127.0.0.1:1: connect: connection refused');
    await clock.advance(200_000);
    expect(shown()).toEqual(['a.example/v1 Stale ']);
    expect(manager.get({ group: 'a.example', version: 'v1' })?.resources.map(({ plural }) => plural)).toEqual([
      'gears',
    ]);
    answer = aggregated({ 'a.example/v1': ['gears'] });
    await clock.advance(60_000);
    expect(shown()).toEqual(['a.example/v1 Current gears']);
    expect(logged).toEqual([
      'the discovery documents of a service cannot be read: dial tcp 127.0.0.1:1: connect: connection refused',
      'the discovery documents of a service can be read again: ',
    ]);
  });

  it('sends nothing while the APIService is unavailable, and asks at once when it is available again', async () => {
    const { set, shown, clock, client } = setup(() => aggregated({ 'a.example/v1': ['gears'] }, '"1"'));
    set(remoteOf('a.example', 'v1', DOWN));
    await clock.advance(600_000);
    expect([client.seen.length, shown()]).toEqual([0, ['a.example/v1 Stale ']]);
    set(remoteOf('a.example', 'v1'));
    await clock.advance(0);
    expect(shown()).toEqual(['a.example/v1 Current gears']);
    set(remoteOf('a.example', 'v1', DOWN));
    expect(shown()).toEqual(['a.example/v1 Stale ']);
    set(remoteOf('a.example', 'v1'));
    await clock.advance(0);
    expect(shown()).toEqual(['a.example/v1 Current gears']);
  });

  it('never has two requests to a hanging server, and gives each up after 5 s', async () => {
    const { set, shown, clock, client } = setup(() => undefined);
    for (let i = 0; i < 20; i++) set(remoteOf('a.example', 'v1', { versionPriority: i + 1 }));
    let most = 0;
    for (let i = 0; i < 120; i++) {
      most = Math.max(most, client.open);
      await clock.advance(1000);
    }
    expect(most).toBe(1);
    expect(client.seen.length).toBeLessThanOrEqual(9);
    expect(shown()).toEqual(['a.example/v1 Stale ']);
  });

  it.each([
    ['garbage', { headers: { 'content-type': AGGREGATED }, body: '<html>' }, /is not JSON/],
    ['10 MB', { headers: { 'content-type': AGGREGATED }, body: 'x'.repeat(10_000_000) }, /more than 4194304 bytes/],
    ['half a document', { headers: { 'content-type': AGGREGATED }, body: '{"kin', ending: 'abort' }, /was closed/],
  ] as const)('refuses %s, reports it, and tries again with backoff', async (_, answer, message) => {
    let asked = 0;
    const { set, shown, clock, logged } = setup(() => {
      asked++;
      return asked < 4 ? answer : aggregated({ 'a.example/v1': ['gears'] });
    });
    set(remoteOf('a.example', 'v1'));
    await clock.advance(3000);
    expect([asked, shown()]).toEqual([3, ['a.example/v1 Stale ']]);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(message);
    await clock.advance(1000);
    expect(shown()).toEqual(['a.example/v1 Current gears']);
  });

  it('moves a version to another service', async () => {
    const { set, shown, clock } = setup((_, { service }) => aggregated({ 'a.example/v1': [service.name] }));
    set(remoteOf('a.example', 'v1'));
    await clock.advance(0);
    set(remoteOf('a.example', 'v1', { service: { namespace: 'ns', name: 'other', port: 443 } }));
    await clock.advance(0);
    expect(shown()).toEqual(['a.example/v1 Current other']);
  });
});
