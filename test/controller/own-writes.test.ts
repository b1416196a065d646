import { describe, expect, it } from 'vitest';
import type { Transport } from '../../src/apimachinery/http/transport.ts';
import { Deferred } from '../../src/base/deferred.ts';
import { createClient } from '../../src/client/create-client.ts';
import { done, operator } from '../../src/controller/index.ts';
import { ConfigMap } from '../../src/kinds/api/core/v1.ts';
import { Foo, until } from './plane.fixtures.ts';
import { testOperators } from './running.fixtures.ts';

const tools = testOperators();

/** Holds back the events of the watches of a resource while it is closed. */
class Gate {
  #open = new Deferred<void>();
  readonly #resource: string;

  constructor(resource: string) {
    this.#resource = resource;
    this.#open.resolve();
  }

  close(): void {
    this.#open = new Deferred();
  }

  open(): void {
    this.#open.resolve();
  }

  around(transport: Transport): Transport {
    const held = (chunks: AsyncIterable<Uint8Array>) => this.#held(chunks);
    return async (request) => {
      const response = await transport(request);
      const isWatched = request.target.includes(`/${this.#resource}?`) && request.target.includes('watch=');
      if (!isWatched || response.body instanceof Uint8Array) return response;
      return { ...response, body: held(response.body) };
    };
  }

  async *#held(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of chunks) {
      await this.#open.promise;
      yield chunk;
    }
  }
}

describe('a cached read', () => {
  /** Starts an operator that creates a ConfigMap if its cache has none: the pattern that a stale read breaks. */
  const startCreator = async (gate: Gate) => {
    const { run, plane, namespace, log, newFoo } = tools();
    const seen: number[] = [];
    const begun: string[] = [];
    run(
      operator('creator')
        .for(Foo, { when: 'generation' })
        .watches(ConfigMap, () => [])
        .reconcile(async ({ cache, client, why }) => {
          begun.push(why.join());
          const present = await cache.list(ConfigMap, { namespace, labelSelector: 'made=yes' });
          seen.push(present.length);
          if (present.length > 0) return;
          const metadata = { generateName: 'made-', labels: { made: 'yes' } };
          await client.api(ConfigMap, namespace).create({ metadata });
        }),
      { client: createClient(gate.around(plane.client.transport)) },
    );
    await until(() => log.of('the caches have synced').length === 1);
    gate.close();
    await newFoo('a');
    await until(() => seen.length === 1);
    return { seen, begun };
  };

  it('waits for the own create, so that a second reconcile does not create again', async () => {
    const { foos, configMaps } = tools();
    const gate = new Gate('configmaps');
    const { seen, begun } = await startCreator(gate);
    await foos.patch('a', { type: 'merge', body: { spec: { replicas: 2 } } });
    await until(() => begun.length === 2);
    expect(seen).toEqual([0]);
    gate.open();
    await until(() => seen.length === 2);
    expect(seen).toEqual([0, 1]);
    expect(await configMaps.list({ labelSelector: 'made=yes' }).toArray()).toHaveLength(1);
  });

  it('asks the server if the cache does not catch up within five seconds', async () => {
    const { foos, configMaps, plane } = tools();
    const gate = new Gate('configmaps');
    const { seen, begun } = await startCreator(gate);
    await foos.patch('a', { type: 'merge', body: { spec: { replicas: 2 } } });
    await until(() => begun.length === 2);
    await plane.clock.advance(4_999);
    expect(seen).toEqual([0]);
    await plane.clock.advance(1);
    await until(() => seen.length === 2);
    expect(seen).toEqual([0, 1]);
    expect(await configMaps.list({ labelSelector: 'made=yes' }).toArray()).toHaveLength(1);
    gate.open();
  });

  it('waits for own updates and deletions of the key that it reads, and for no other', async () => {
    const { run, newFoo, configMaps, plane } = tools();
    const gate = new Gate('configmaps');
    const read: (string | undefined)[] = [];
    await configMaps.create({ metadata: { name: 'one' }, data: { value: 'old' } });
    await configMaps.create({ metadata: { name: 'two' }, data: { value: 'old' } });
    run(
      operator('reader')
        .for(Foo, { when: 'generation' })
        .owns(ConfigMap)
        .reconcile(async ({ client, cache, object: { metadata } }) => {
          const maps = client.api(ConfigMap, metadata.namespace as string);
          const get = async (name: string) =>
            read.push((await cache.get(ConfigMap, name))?.data?.['value'] ?? 'absent');
          await get('one');
          gate.close();
          await maps.patch('one', { type: 'merge', body: { data: { value: 'new' } } });
          await get('two');
          queueMicrotask(() => gate.open());
          await get('one');
          gate.close();
          await maps.delete('one');
          await get('two');
          queueMicrotask(() => gate.open());
          await get('one');
          return done;
        }),
      { client: createClient(gate.around(plane.client.transport)) },
    );
    await newFoo('a');
    await until(() => read.length === 5);
    expect(read).toEqual(['old', 'old', 'new', 'old', 'absent']);
  });

  it('sees writes to kinds whose cache is made by the read', async () => {
    const { run, newFoo } = tools();
    const read: (string | undefined)[] = [];
    run(
      operator('late')
        .for(Foo)
        .reconcile(async ({ apply, cache }) => {
          await apply(ConfigMap, { metadata: { name: 'late' }, data: { value: 'yes' } });
          read.push((await cache.get(ConfigMap, 'late'))?.data?.['value']);
        }),
    );
    await newFoo('a');
    await until(() => read.length === 1);
    expect(read).toEqual(['yes']);
  });
});

describe('a reconcile', () => {
  it('begins with the state after the own writes to its object, with transforms, and frozen', async () => {
    const { run, newFoo, plane } = tools();
    const gate = new Gate('foos');
    const seen: string[] = [];
    run(
      operator('self')
        .for(Foo)
        .reconcile(async ({ object, client }) => {
          expect(Object.isFrozen(object) && Object.isFrozen(object.spec)).toBe(true);
          expect(object.metadata.managedFields).toBeUndefined();
          seen.push(`${object.spec.replicas}`);
          if (object.spec.replicas !== 1) return done;
          gate.close();
          const { name, namespace } = object.metadata;
          await client.api(Foo, namespace as string).patch(name, { type: 'merge', body: { spec: { replicas: 2 } } });
          queueMicrotask(() => gate.open());
          return { result: 'after', delayMs: 0 };
        }),
      { client: createClient(gate.around(plane.client.transport)) },
    );
    await newFoo('a', { replicas: 1 });
    await until(() => seen.length >= 2);
    expect(seen.slice(0, 2)).toEqual(['1', '2']);
  });
});
