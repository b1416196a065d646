import { describe, expect, it } from 'vitest';
import type { Transport, TransportRequest, TransportResponse } from '../apimachinery/http/transport.ts';
import { onAbort } from '../base/abort.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { Deferred } from '../base/deferred.ts';
import { settle, VirtualClock } from '../base/virtual-clock.ts';
import type { InformerFailure, InformerSet, InformerSetOptions } from './informer.ts';
import { createInformerSet } from './informer-set.ts';
import type { ObjectBase } from './object-types.ts';

interface ConfigMap extends ObjectBase {
  data?: Record<string, string>;
}
const CONFIG_MAP = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced' } as const;
const NODE = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', scope: 'Cluster' } as const;

function configMap(name: string, rv: string): string {
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","namespace":"n","uid":"${name}","resourceVersion":"${rv}"},"data":{"a":"b"}}`;
}
const added = (name: string, rv: string): string => `{"type":"ADDED","object":${configMap(name, rv)}}\n`;
const initialEnd = (rv: string): string =>
  `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"${rv}","annotations":{"k8s.io/initial-events-end":"true"}}}}\n`;

/** The answer to one request: parts of a body, which stays open unless `end` follows. */
type Part = string | Uint8Array | 'end' | 'never';

/** A server whose answers are given in order. The last one is repeated. */
class ScriptedServer {
  readonly requests: TransportRequest[] = [];
  readonly #answers: (readonly Part[])[];
  closed = 0;

  constructor(...answers: (readonly Part[])[]) {
    this.#answers = answers;
  }

  readonly transport: Transport = async (request): Promise<TransportResponse> => {
    this.requests.push(request);
    const parts = this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0];
    return { status: 200, headers: {}, body: this.#body(parts ?? [], request) };
  };

  async *#body(parts: readonly Part[], { signal }: TransportRequest): AsyncIterable<Uint8Array> {
    try {
      for (const part of parts) {
        if (part === 'end') return;
        yield typeof part === 'string' ? encodeUtf8(part) : part;
      }
      const aborted = new Deferred<void>();
      onAbort(signal as AbortSignal | undefined, (reason) => aborted.reject(reason));
      await aborted.promise;
    } finally {
      this.closed++;
    }
  }

  targets(): string[] {
    return this.requests.map(({ target }) => target);
  }
}

interface Setup {
  readonly set: InformerSet;
  readonly clock: VirtualClock;
  readonly failures: [string, InformerFailure['source']][];
}

function setup(server: ScriptedServer, options: Partial<InformerSetOptions> = {}): Setup {
  const clock = new VirtualClock();
  const failures: Setup['failures'] = [];
  const set = createInformerSet({
    transport: server.transport,
    clock,
    random: () => 0,
    onFailure: (error, { source }) => failures.push([error.message, source]),
    ...options,
  });
  return { set, clock, failures };
}

describe('a set of informers', () => {
  it('shares an informer by kind, namespace, selectors, transform and metadataOnly', () => {
    const { set } = setup(new ScriptedServer([]));
    const transform = (object: ConfigMap): ConfigMap => object;
    const one = set.informer<ConfigMap>(CONFIG_MAP);
    expect(set.informer<ConfigMap>({ ...CONFIG_MAP }, { resyncMs: 5 })).toBe(one);
    const others = [
      set.informer<ConfigMap>(CONFIG_MAP, { namespace: 'n' }),
      set.informer<ConfigMap>(CONFIG_MAP, { labelSelector: 'a=b' }),
      set.informer<ConfigMap>(CONFIG_MAP, { fieldSelector: 'a=b' }),
      set.informer<ConfigMap>(CONFIG_MAP, { metadataOnly: true }),
      set.informer<ConfigMap>(CONFIG_MAP, { transform }),
      set.informer(NODE),
    ];
    expect(new Set([one, ...others]).size).toBe(7);
    expect(set.informer<ConfigMap>(CONFIG_MAP, { transform })).toBe(others[4]);
    expect(() => set.informer(NODE, { namespace: 'n' })).toThrow('Node is cluster-scoped');
  });

  it('adds the indexes that a shared informer lacks', async () => {
    const { set } = setup(new ScriptedServer([added('a', '1'), initialEnd('2')]));
    const byUid = ({ metadata }: { metadata: { uid: string } }): string[] => [metadata.uid];
    const informer = set.informer<ConfigMap>(CONFIG_MAP, { indexes: { uid: byUid } });
    set.start();
    await set.synced();
    set.informer<ConfigMap>(CONFIG_MAP, { indexes: { uid: byUid, name: ({ metadata }) => [metadata.name] } });
    expect(informer.store.byIndex('name', 'a')).toEqual(informer.store.byIndex('uid', 'a'));
    expect(informer.store.byIndex('name', 'a')).toHaveLength(1);
    expect(() => set.informer<ConfigMap>(CONFIG_MAP, { indexes: { uid: () => [] } })).toThrow(/index "uid" already/);
    await set.stop();
  });

  it('asks the server for streaming lists, and starts later informers at once', async () => {
    const server = new ScriptedServer([added('a', '1'), initialEnd('2')]);
    const { set, clock } = setup(server);
    set.start();
    set.start();
    const informer = set.informer<ConfigMap>(CONFIG_MAP, { namespace: 'n', labelSelector: 'a in (b)' });
    await set.synced();
    expect(server.targets()).toEqual([
      '/api/v1/namespaces/n/configmaps?watch=true&labelSelector=a%20in%20(b)&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=300',
    ]);
    expect(server.requests[0]?.headers).toEqual({ accept: 'application/json' });
    expect(informer.store.get('a', 'n')).toMatchObject({ kind: 'ConfigMap', data: { a: 'b' } });
    await set.stop();
    await settle();
    expect(server.closed).toBe(1);
    expect(clock.pendingTimers).toBe(0);
    expect(() => set.informer(NODE)).toThrow('the informers have stopped');
    set.start();
  });

  it('asks for PartialObjectMetadata, and drops the rest if the server sends more', async () => {
    const server = new ScriptedServer([added('a', '1'), initialEnd('2')]);
    const { set } = setup(server);
    const informer = set.informer<ConfigMap>(CONFIG_MAP, { metadataOnly: true });
    set.start();
    await set.synced();
    expect(server.requests[0]?.headers?.['accept']).toBe(
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
    );
    expect(informer.store.list()).toEqual([
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', namespace: 'n', uid: 'a', resourceVersion: '1' },
      },
    ]);
    await set.stop();
  });

  it('lists pages, whose items have no kind', async () => {
    const item = '{"metadata":{"name":"x","namespace":"n","uid":"x","resourceVersion":"1"}}';
    const server = new ScriptedServer(
      [
        `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":"c"},"items":[${item}]}`,
        'end',
      ],
      ['{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[]}', 'end'],
      [],
    );
    const { set } = setup(server, { listWatch: { streamingList: false } });
    const informer = set.informer<ConfigMap>(CONFIG_MAP);
    set.start();
    await set.synced();
    expect(informer.store.get('x', 'n')).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(server.targets()).toEqual([
      '/api/v1/configmaps?resourceVersion=0&limit=500',
      '/api/v1/configmaps?limit=500&continue=c',
      '/api/v1/configmaps?watch=true&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=300',
    ]);
    await set.stop();
  });

  it.each<[string, readonly Part[], RegExp]>([
    ['garbage', ['<html>'.repeat(10), '\n'], /cannot be read/],
    ['an event that is not an object', ['{"type":"ADDED","object":1}\n'], /must be an object|is not an object/],
    ['an event of an unknown type', ['{"type":"BORED","object":{}}\n'], /BORED/],
    ['an object without a name', ['{"type":"ADDED","object":{"metadata":{}}}\n'], /metadata\.name/],
    ['an end in the middle of an event', ['{"type":"ADDED","object":{"meta', 'end'], /inside of an event/],
  ])('reports %s and lists again', async (_what, parts, message) => {
    const server = new ScriptedServer([initialEnd('2'), ...parts], [added('a', '3'), initialEnd('4')]);
    const { set, clock, failures } = setup(server);
    const informer = set.informer<ConfigMap>(CONFIG_MAP);
    set.start();
    await set.synced();
    await clock.advance(2000);
    expect(failures[0]?.[0]).toMatch(message);
    expect(failures[0]?.[1]).toBe('reflector');
    expect(informer.store.size).toBe(1);
    expect(informer.lastFailure).toBeUndefined();
    await set.stop();
  });

  it('does not keep a gigantic event', async () => {
    const chunk = new Uint8Array(1024 * 1024).fill(0x20);
    const parts = Array.from({ length: 100 }, () => chunk);
    const server = new ScriptedServer(
      [initialEnd('2'), '{"type":"ADDED","object":{"a":"', ...parts],
      [initialEnd('4')],
    );
    const { set, clock, failures } = setup(server);
    set.informer<ConfigMap>(CONFIG_MAP);
    set.start();
    await set.synced();
    await clock.advance(2000);
    expect(failures[0]?.[0]).toMatch(/longer than maximum allowed size/);
    expect(server.requests).toHaveLength(2);
    await set.stop();
  });

  it('goes on if the callback for failures throws', async () => {
    const uncaught: unknown[] = [];
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => uncaught.push(error));
    try {
      const server = new ScriptedServer(['<', 'end'], ['<', 'end'], [initialEnd('4')]);
      const { set, clock } = setup(server, {
        onFailure: () => {
          throw new TypeError('bad callback');
        },
      });
      const informer = set.informer<ConfigMap>(CONFIG_MAP);
      set.start();
      await clock.advance(5000);
      expect(informer.hasSynced).toBe(true);
      expect(uncaught.length).toBeGreaterThan(0);
      await set.stop();
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const listener of listeners) process.on('uncaughtException', listener);
    }
  });
});
