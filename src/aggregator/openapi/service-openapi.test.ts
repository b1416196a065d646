import { afterEach, describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { SILENT } from '../../base/logger.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { typeName, viewOfTypeName } from '../../kinds/views.ts';
import { bytesOf, requestOf } from '../../server/http/requests.fixtures.ts';
import { OpenApiManager } from '../../server/openapi/openapi-manager.ts';
import type { MetaTypes } from '../../server/resource/meta-types.ts';
import { remoteOf, type TestAnswer, type TestBackend, type TestServer, testBackend } from '../backend.fixtures.ts';
import type { RemoteVersion } from '../remote-version.ts';
import { RemoteOpenApi } from './remote-openapi.ts';

const DOWN = { availability: { status: 'False', reason: 'FailedDiscoveryCheck', message: '' } } as const;
const TYPES: MetaTypes = { view: viewOfTypeName, typeName };
const V1 = 'apis/a.example/v1';

function indexAnswer(...names: readonly string[]): TestAnswer {
  const entries = names.map((name) => [name, { serverRelativeURL: `/openapi/v3/${name}?hash=1` }]);
  return { body: JSON.stringify({ paths: Object.fromEntries(entries) }) };
}

function v2Answer(kind = 'Gear', etag = ''): TestAnswer {
  const document = {
    swagger: '2.0',
    paths: {
      [`/${V1}/gears`]: { get: { produces: ['application/json'], responses: { '200': { description: 'OK' } } } },
    },
    definitions: {
      [`example.a.${kind}`]: {
        type: 'object',
        'x-kubernetes-group-version-kind': [{ group: 'a.example', version: 'v1', kind }],
      },
    },
  };
  return { body: JSON.stringify(document), ...(etag !== '' && { headers: { etag } }) };
}

interface Setup {
  readonly clock: VirtualClock;
  readonly client: TestBackend;
  readonly documents: RemoteOpenApi;
  readonly logged: string[];
  set(version: RemoteVersion): void;
  get(path: string): { readonly status: number; readonly text: string };
  index(): JsonObject;
  v2(): { readonly paths: JsonObject; readonly definitions: JsonObject };
}

describe('the OpenAPI documents of remote versions', () => {
  const running: Setup[] = [];
  afterEach(async () => {
    for (const { documents, clock, client } of running.splice(0)) {
      await documents.stop();
      expect([clock.pendingTimers, client.open]).toEqual([0, 0]);
    }
  });

  function setup(server: TestServer): Setup {
    const clock = new VirtualClock();
    const client = testBackend(server);
    const manager = new OpenApiManager({ clock, types: TYPES });
    const logged: string[] = [];
    const options = {
      client,
      publisher: manager.remote,
      clock,
      logger: { ...SILENT, warn: (_: string, fields = {}) => void logged.push(String(Object(fields).message)) },
      forward: (request: { info: { path: string } }, to: RemoteVersion) =>
        ({ kind: 'bytes', status: 200, headers: {}, body: encodeUtf8(`${to.name} ${request.info.path}`) }) as const,
    };
    const documents = new RemoteOpenApi(options);
    const get = (path: string) => {
      const { status, body } = bytesOf(manager.handle(requestOf(path)));
      return { status, text: decodeUtf8(body) };
    };
    const made: Setup = {
      clock,
      client,
      documents,
      logged,
      set: (version) => documents.changed({ name: version.name, before: undefined, after: version }),
      get,
      index: () => JSON.parse(get('/openapi/v3').text).paths,
      v2: () => JSON.parse(get('/openapi/v2').text),
    };
    running.push(made);
    return made;
  }

  it('appear with the APIService and disappear with it, and v3 is forwarded', async () => {
    const { set, clock, index, v2, get, documents } = setup(({ target }) =>
      target === '/openapi/v3' ? indexAnswer(V1, 'apis/a.example', 'apis/apps/v1', 'version') : v2Answer(),
    );
    const before = Object.keys(index());
    set(remoteOf('a.example', 'v1'));
    await clock.advance(0);
    expect(Object.keys(index()).filter((name) => !before.includes(name))).toEqual(['apis/a.example', V1]);
    expect(index()[V1]).toEqual({ serverRelativeURL: `/openapi/v3/${V1}?hash=1` });
    expect(get(`/openapi/v3/${V1}`).text).toBe(`v1.a.example /openapi/v3/${V1}`);
    expect(v2().definitions).toHaveProperty(['example.a.Gear']);
    documents.changed({ name: 'v1.a.example', before: undefined, after: undefined });
    expect(Object.keys(index())).toEqual(before);
    expect(v2().definitions).not.toHaveProperty(['example.a.Gear']);
  });

  it('are read again every minute, v2 only if it changed', async () => {
    let etag = '"1"';
    const tags: unknown[] = [];
    const { set, clock, v2 } = setup(({ target, headers }) => {
      if (target === '/openapi/v3') return indexAnswer(V1);
      tags.push(headers['if-none-match']);
      return headers['if-none-match'] === etag ? { status: 304 } : v2Answer(etag === '"1"' ? 'Gear' : 'Cog', etag);
    });
    set(remoteOf('a.example', 'v1'));
    await clock.advance(60_000);
    etag = '"2"';
    await clock.advance(60_000);
    expect(tags).toEqual([undefined, '"1"', '"1"']);
    expect(v2().definitions).toHaveProperty(['example.a.Cog']);
    expect(v2().definitions).not.toHaveProperty(['example.a.Gear']);
  });

  it('are converted from v2 if the server has no v3', async () => {
    const { set, clock, index, get } = setup(({ target }) => (target === '/openapi/v3' ? { status: 404 } : v2Answer()));
    set(remoteOf('a.example', 'v1'));
    await clock.advance(0);
    const { serverRelativeURL } = index()[V1] as { serverRelativeURL: string };
    expect(serverRelativeURL).toMatch(/\?hash=[0-9A-F]+$/);
    expect(JSON.parse(get(`/openapi/v3/${V1}`).text)).toMatchObject({
      openapi: '3.0.0',
      components: { schemas: { 'example.a.Gear': { type: 'object' } } },
    });
  });

  it('stay while the server is unavailable, and are not asked for', async () => {
    const { set, clock, client, index, v2 } = setup(({ target }) =>
      target === '/openapi/v3' ? indexAnswer(V1) : v2Answer(),
    );
    set(remoteOf('a.example', 'v1', DOWN));
    await clock.advance(600_000);
    expect(client.seen).toEqual([]);
    set(remoteOf('a.example', 'v1'));
    await clock.advance(0);
    set(remoteOf('a.example', 'v1', DOWN));
    await clock.advance(600_000);
    expect(client.seen).toHaveLength(2);
    expect(index()).toHaveProperty([V1]);
    expect(v2().paths).toHaveProperty([`/${V1}/gears`]);
  });

  it('never has more than two requests to a hanging server', async () => {
    const { set, clock, client } = setup(() => undefined);
    let most = 0;
    for (let i = 1; i < 20; i++) {
      set(remoteOf('a.example', 'v1', { versionPriority: i }));
      await clock.advance(10_000);
      most = Math.max(most, client.open);
    }
    expect(most).toBe(2);
  });

  it.each([
    ['garbage', { body: '<html>' }, 'GET /openapi/v2: the answer is not JSON'],
    ['a huge document', { body: 'x'.repeat(9_000_000) }, 'GET /openapi/v2: the answer has more than 8388608 bytes'],
    ['a refusal', { status: 403 }, 'GET /openapi/v2: the answer has the status 403'],
  ] as const)('ignores %s, reports it once, and uses the other document', async (_, answer, message) => {
    const { set, clock, index, v2, logged } = setup(({ target }) =>
      target === '/openapi/v3' ? indexAnswer(V1) : answer,
    );
    set(remoteOf('a.example', 'v1'));
    await clock.advance(10_000);
    expect(index()).toHaveProperty([V1]);
    expect(v2().paths).toBeDefined();
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain(message);
  });

  it('cannot point to another path', async () => {
    const { set, clock, index } = setup(({ target }) => {
      if (target !== '/openapi/v3') return { status: 404 };
      return { body: JSON.stringify({ paths: { [V1]: { serverRelativeURL: 'https://evil.example/x' } } }) };
    });
    set(remoteOf('a.example', 'v1'));
    await clock.advance(0);
    expect(index()[V1]).toEqual({ serverRelativeURL: `/openapi/v3/${V1}` });
  });
});
