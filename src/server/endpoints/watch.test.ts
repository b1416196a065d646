import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expired } from '../../apimachinery/status/status-catalogue.ts';
import { concatBytes, decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { settle } from '../../base/virtual-clock.ts';
import type { Answer, AnswerSink } from '../http/exchange.ts';
import type { ResourceWatchSink } from '../resource/resource-store.ts';
import { createTestServer, failure, GADGETS, gadgets, gadgetV1, type TestServer } from './endpoints.fixtures.ts';

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const PARTIAL = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** The client's end of a stream. */
class Client implements AnswerSink {
  readonly chunks: Uint8Array[] = [];
  ready = true;
  ended = false;
  drain: () => void = () => undefined;
  close: () => void = () => undefined;

  write(chunks: readonly Uint8Array[]): boolean {
    this.chunks.push(...chunks);
    return this.ready;
  }

  onDrain(listener: () => void): void {
    this.drain = listener;
  }

  end(): void {
    this.ended = true;
  }

  abort(): void {
    throw new Error('nobody breaks a watch off');
  }

  onClose(listener: () => void): void {
    this.close = listener;
  }

  get events(): { type: string; object: JsonObject }[] {
    return decodeUtf8(concatBytes(this.chunks))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { type: string; object: JsonObject });
  }

  /** `ADDED a`. */
  get short(): string[] {
    return this.events.map(({ type, object }) => `${type} ${(object['metadata'] as JsonObject)['name'] ?? ''}`);
  }
}

function begin(answer: Answer): Client {
  if (answer.kind !== 'stream') throw new Error(`the answer is ${answer.kind}`);
  const client = new Client();
  answer.start(client);
  return client;
}

describe('watch', () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await createTestServer();
    await server.ask('POST', GADGETS, { metadata: { name: 'a' } });
  });

  afterEach(async () => {
    await server.stop();
    expect(server.resources.watches).toBe(0);
    expect(server.clock.pendingTimers).toBe(0);
  });

  async function watch(query: string, accept?: string): Promise<Client> {
    const headers = accept === undefined ? {} : { accept };
    const client = begin(await server.answer('GET', `${GADGETS}?watch=true${query}`, headers));
    await settle();
    await settle();
    return client;
  }

  it('sends the state, then every change, one line each', async () => {
    const client = await watch('');
    await server.ask('PUT', `${GADGETS}/a`, { metadata: { name: 'a' }, data: { x: '1' } });
    await server.ask('DELETE', `${GADGETS}/a`);
    await settle();
    expect(client.short).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    expect(decodeUtf8(client.chunks[0]!)).toMatch(
      /^\{"type":"ADDED","object":\{"kind":"Gadget","apiVersion":"toys.test\/v1","metadata":.*\}\}\n$/,
    );
    expect(client.ended).toBe(false);
  });

  it('answers with the content type of the stream and without a length', async () => {
    const answer = await server.answer('GET', `${GADGETS}?watch=1`, { accept: 'application/json;stream=watch' });
    expect(answer).toMatchObject({ kind: 'stream', status: 200, headers: { 'content-type': 'application/json' } });
    begin(answer).close();
  });

  it('sends the same bytes to all watchers of one form', async () => {
    const clients = [await watch(''), await watch('')];
    await server.ask('POST', GADGETS, { metadata: { name: 'b' } });
    await settle();
    expect(clients[0]?.chunks[1]).toBe(clients[1]?.chunks[1]);
  });

  it('ends the initial events with a bookmark if the client asked for one', async () => {
    const client = await watch('&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan');
    const [, bookmark] = client.events;
    expect(bookmark).toMatchObject({
      type: 'BOOKMARK',
      object: {
        kind: 'Gadget',
        apiVersion: 'toys.test/v1',
        metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    });
    // A bookmark is an empty object of its kind, written as the kind writes empty ones.
    expect(bookmark?.object['status']).toEqual({});
  });

  it('sends PartialObjectMetadata', async () => {
    const client = await watch('', PARTIAL);
    expect(client.events[0]).toMatchObject({
      type: 'ADDED',
      object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } },
    });
    expect(client.events[0]?.object).not.toHaveProperty('color');
  });

  it('sends tables, with the columns in the first event of each watcher', async () => {
    const first = await watch('', TABLE);
    await server.ask('POST', GADGETS, { metadata: { name: 'b' } });
    await settle();
    const second = await watch('&fieldSelector=metadata.name=b', TABLE);
    const shown = (client: Client) =>
      client.events.map(({ type, object }) => {
        const { columnDefinitions, rows } = object as unknown as {
          columnDefinitions: unknown[] | null;
          rows: { cells: unknown[]; object: JsonObject }[];
        };
        return [type, columnDefinitions?.length ?? null, rows[0]?.cells, rows[0]?.object['kind']];
      });
    expect(shown(first)).toEqual([
      ['ADDED', 2, ['a', 'grey'], 'PartialObjectMetadata'],
      ['ADDED', null, ['b', 'grey'], 'PartialObjectMetadata'],
    ]);
    expect(shown(second)).toEqual([['ADDED', 2, ['b', 'grey'], 'PartialObjectMetadata']]);
  });

  it('marks the end of the initial events in tables with every includeObject', async () => {
    const query = '&includeObject=None&allowWatchBookmarks=true';
    const rows = (await watch(query, TABLE)).events.map(
      ({ object }) => (object['rows'] as JsonObject[])[0]?.['object'],
    );
    expect(rows).toMatchObject([null, { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } }]);
  });

  it('watches one object by its path, and a collection, below /watch/', async () => {
    await server.ask('POST', GADGETS, { metadata: { name: 'b' } });
    const legacy = async (path: string): Promise<readonly string[]> => {
      const client = begin(await server.answer('GET', `/apis/toys.test/v1/watch/${path}`));
      await settle();
      await settle();
      return client.short;
    };
    expect(await legacy('namespaces/ns/gadgets/b')).toEqual(['ADDED b']);
    expect(await legacy('namespaces/ns/gadgets')).toEqual(['ADDED a', 'ADDED b']);
    expect(await legacy('gadgets?allowWatchBookmarks=true')).toEqual(['ADDED a', 'ADDED b']);
    const answer = await server.ask(
      'GET',
      '/apis/toys.test/v1/watch/namespaces/ns/gadgets/b?fieldSelector=metadata.name=a',
    );
    expect(failure(answer)).toEqual([400, 'BadRequest', "fieldSelector metadata.name doesn't match requested name"]);
  });

  it('refuses forms that cannot be streamed', async () => {
    const yaml = await server.ask('GET', `${GADGETS}?watch=true`, undefined, { accept: 'application/yaml' });
    expect(yaml.status).toBe(406);
    expect(yaml.text).toContain(
      "message: 'only the following media types are accepted: application/json;stream=watch'",
    );
    const list = await server.ask('GET', `${GADGETS}?watch=true`, undefined, {
      accept: PARTIAL.replace('Metadata', 'MetadataList'),
    });
    expect(list.status).toBe(406);
    expect(
      failure(await server.ask('GET', `${GADGETS}?watch=true&includeObject=x`, undefined, { accept: TABLE }))[0],
    ).toBe(400);
    expect(server.resources.watches).toBe(0);
  });

  describe('time', () => {
    it('that is over before the watch begins sends no event', async () => {
      const client = await watch('&timeoutSeconds=-1');
      expect([client.ended, client.events]).toEqual([true, []]);
    });

    it('ends a watch cleanly after its timeoutSeconds', async () => {
      const client = await watch('&timeoutSeconds=5');
      await server.clock.advance(4_900);
      expect(client.ended).toBe(false);
      await server.clock.advance(400);
      expect(client.ended).toBe(true);
      expect(server.resources.watches).toBe(0);
    });

    it('is between one and two times the minimum without timeoutSeconds', async () => {
      const short = await createTestServer({ server: { minRequestTimeoutSeconds: 10, random: () => 0.5 } });
      const client = begin(await short.answer('GET', `${GADGETS}?watch=true`));
      await short.clock.advance(14_900);
      expect(client.ended).toBe(false);
      await short.clock.advance(400);
      expect(client.ended).toBe(true);
      await short.stop();
    });

    it('ends with a last bookmark if the client allows bookmarks', async () => {
      const client = await watch(
        '&allowWatchBookmarks=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&timeoutSeconds=5',
      );
      const brief = await watch(
        '&allowWatchBookmarks=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&timeoutSeconds=1',
      );
      await server.clock.advance(6_000);
      expect([client.short, client.ended]).toEqual([['BOOKMARK '], true]);
      expect([brief.short, brief.ended]).toEqual([[], true]);
    });

    it('uses one timer for all watches', async () => {
      const before = server.clock.pendingTimers;
      const clients = [
        await watch('&timeoutSeconds=9'),
        await watch('&timeoutSeconds=7'),
        await watch('&timeoutSeconds=8'),
      ];
      expect(server.clock.pendingTimers - before).toBe(1);
      await server.clock.advance(7_500);
      expect(clients.map(({ ended }) => ended)).toEqual([false, true, false]);
      await server.clock.advance(2_000);
      expect(clients.map(({ ended }) => ended)).toEqual([true, true, true]);
      expect(server.clock.pendingTimers).toBe(before);
    });
  });

  it('stops the watch of a client that has disconnected', async () => {
    const client = await watch('');
    expect(server.resources.watches).toBe(1);
    client.close();
    expect(server.resources.watches).toBe(0);
    await server.ask('POST', GADGETS, { metadata: { name: 'b' } });
    await settle();
    expect(client.short).toEqual(['ADDED a']);
  });

  it('waits for a client that does not read, and continues', async () => {
    const client = await watch('');
    client.ready = false;
    await server.ask('POST', GADGETS, { metadata: { name: 'b' } });
    await settle();
    await server.ask('POST', GADGETS, { metadata: { name: 'c' } });
    await settle();
    expect(client.short).toEqual(['ADDED a', 'ADDED b']);
    client.ready = true;
    client.drain();
    await settle();
    expect(client.short).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
  });

  it('ends all watches when the server drains, also later ones', async () => {
    const client = await watch('');
    const late = await server.answer('GET', `${GADGETS}?watch=true`);
    server.resources.drain();
    expect(client.ended).toBe(true);
    expect(begin(late).ended).toBe(true);
    expect(begin(await server.answer('GET', `${GADGETS}?watch=true`)).ended).toBe(true);
  });

  it('reports the number and size of events', async () => {
    const heard: [string, number, number][] = [];
    const counted = await createTestServer({
      server: { onWatchEvents: ({ resource }, count, bytes) => heard.push([resource, count, bytes]) },
    });
    await counted.ask('POST', GADGETS, { metadata: { name: 'a' } });
    const client = begin(await counted.answer('GET', `${GADGETS}?watch=true`));
    await settle();
    expect(heard).toEqual([['gadgets', 1, client.chunks[0]?.byteLength]]);
    await counted.stop();
  });
});

describe('a store of its own', () => {
  let sink: ResourceWatchSink | undefined;
  const calls: string[] = [];
  const definition = gadgets({
    subresources: [],
    versions: [gadgetV1],
    storageVersion: undefined,
    store: () => ({
      list: () => ({ resourceVersion: '1', continueToken: '', remaining: undefined, items: [] }),
      watch: (_context, _request, to) => {
        sink = to;
        return {
          drained: () => void calls.push('drained'),
          bookmark: () => calls.push('bookmark') > 0,
          stop: () => void calls.push('stop'),
        };
      },
    }),
  });

  beforeEach(() => {
    calls.length = 0;
  });

  it('is paused until the stream begins, and loses nothing', async () => {
    const server = await createTestServer({ resources: [definition] });
    const answer = await server.answer('GET', `${GADGETS}?watch=true`);
    expect(sink?.write([encodeUtf8('{"type":"ADDED","object":{}}\n')])).toBe(false);
    expect(calls).toEqual([]);
    const client = begin(answer);
    expect(client.events).toHaveLength(1);
    expect(calls).toEqual(['drained']);
    expect(sink?.write([encodeUtf8('{"type":"ADDED","object":{}}\n')])).toBe(true);
    await server.stop();
    expect(calls).toEqual(['drained', 'stop']);
  });

  it('ends a watch with an error event, before or after the stream has begun', async () => {
    const server = await createTestServer({ resources: [definition] });
    for (const early of [true, false]) {
      const answer = await server.answer('GET', `${GADGETS}?watch=true`, { accept: TABLE });
      if (early) sink?.end(expired('too old'));
      const client = begin(answer);
      if (!early) sink?.end(expired('too old'));
      expect(client.events).toMatchObject([
        { type: 'ERROR', object: { kind: 'Status', reason: 'Expired', code: 410 } },
      ]);
      expect(client.ended).toBe(true);
    }
    expect(server.resources.watches).toBe(0);
    await server.stop();
  });

  it('ends a watch without an error', async () => {
    const server = await createTestServer({ resources: [definition] });
    const client = begin(await server.answer('GET', `${GADGETS}?watch=true`));
    sink?.end(undefined);
    expect([client.events, client.ended]).toEqual([[], true]);
    await server.stop();
  });

  it('that cannot be watched is a 405', async () => {
    const { watch: _watch, ...lister } = definition.store?.({} as never) ?? {};
    const server = await createTestServer({ resources: [{ ...definition, store: () => lister }] });
    expect(failure(await server.ask('GET', `${GADGETS}?watch=true`))).toEqual([
      405,
      'MethodNotAllowed',
      'watch is not supported on resources of kind "gadgets.toys.test"',
    ]);
    expect(failure(await server.ask('GET', '/apis/toys.test/v1/watch/gadgets'))[0]).toBe(405);
    await server.stop();
  });
});
