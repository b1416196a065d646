import { describe, expect, it } from 'vitest';
import { Deferred } from '../../base/deferred.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { settle } from '../../base/virtual-clock.ts';
import { CRDS, GADGETS, gadget, gadgets, redefine, SPEC, startTestExtensions } from '../apiextensions.fixtures.ts';

const NAME = `${CRDS}/gadgets.example.test`;

describe('a definition that changes', () => {
  const before = gadgets();
  const after = gadgets([
    {
      properties: {
        spec: {
          ...SPEC,
          properties: { ...(SPEC['properties'] as JsonObject), weight: { type: 'integer', default: 3 } },
        },
      },
    },
  ]);

  it('ends open watches cleanly, and a watch that starts from the last event misses none', async () => {
    const { define, request, watch } = await startTestExtensions();
    await define(before);
    await request('POST', GADGETS, gadget('a'));
    const old = await watch(`${GADGETS}?watch=true`);
    expect(old.short).toEqual(['ADDED a']);
    await redefine({ request }, after);
    expect(old.ended).toBe(true);
    expect(old.short).toEqual(['ADDED a']);
    await request('POST', GADGETS, gadget('b'));
    const last = ((old.events[0] as { object: JsonObject }).object['metadata'] as JsonObject)['resourceVersion'];
    const next = await watch(`${GADGETS}?watch=true&resourceVersion=${String(last)}`);
    await request('POST', GADGETS, gadget('c'));
    await settle();
    expect(next.short).toEqual(['ADDED b', 'ADDED c']);
    expect(next.ended).toBe(false);
  });

  it('is served without a gap, and old objects get the new defaults', async () => {
    const { define, request } = await startTestExtensions();
    await define(before);
    await request('POST', GADGETS, gadget('a', { spec: {} }));
    const changing = redefine({ request }, after);
    const during = await Promise.all(Array.from({ length: 20 }, () => request('GET', `${GADGETS}/a`)));
    await changing;
    expect(new Set(during.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await request('GET', `${GADGETS}/a`)).body['spec']).toEqual({ size: 7, weight: 3 });
  });

  it('stores objects in its new storage version, and rewrites old ones when they are updated', async () => {
    const { define, request, world } = await startTestExtensions();
    const both = (stored: string): JsonObject =>
      gadgets(['v1', 'v2'].map((name) => ({ name, storage: name === stored })));
    await define(both('v1'));
    await request('POST', GADGETS, gadget('a'));
    await redefine({ request }, both('v2'));
    const definition = (await request('GET', NAME)).body;
    expect(definition['status']).toMatchObject({ storedVersions: ['v1', 'v2'] });
    const storedVersion = async (): Promise<string> => {
      const found = await world.storage.get('registry/example.test/gadgets/ns/a');
      if (found.outcome !== 'found') throw new Error('a is not stored');
      return (JSON.parse(new TextDecoder().decode(found.item.value)) as { apiVersion: string }).apiVersion;
    };
    expect(await storedVersion()).toBe('example.test/v1');
    expect((await request('GET', `${GADGETS}/a`)).body['apiVersion']).toBe('example.test/v1');
    const read = (await request('GET', '/apis/example.test/v2/namespaces/ns/gadgets/a')).body;
    expect(read['apiVersion']).toBe('example.test/v2');
    expect((await request('PUT', '/apis/example.test/v2/namespaces/ns/gadgets/a', read)).status).toBe(200);
    expect(await storedVersion()).toBe('example.test/v2');
    const status = { ...(definition['status'] as JsonObject), storedVersions: ['v2'] };
    expect((await request('PUT', `${NAME}/status`, { ...definition, status })).status).toBe(200);
    expect((await redefine({ request }, gadgets([{ name: 'v2' }]))).status).toBe(200);
    expect((await request('GET', '/apis/example.test/v2/namespaces/ns/gadgets/a')).status).toBe(200);
  });

  it('lets running requests finish, and does not trust objects that they may still write', async () => {
    const gate = new Deferred<void>();
    const asked: string[] = [];
    const stopped: number[] = [];
    const { define, request, watch } = await startTestExtensions({
      converter: ({ generation }) => ({
        convert: async (objects, from, to) => {
          asked.push(`${generation}: ${from} to ${to}`);
          if (generation === 1) await gate.promise;
          return objects.map((object) => ({ ...object, apiVersion: `example.test/${to}` }));
        },
        stop: () => void stopped.push(generation),
      }),
    });
    const both = (properties?: JsonObject): JsonObject =>
      gadgets(
        ['v1', 'v2'].map((name) => ({
          name,
          storage: name === 'v2',
          ...(properties === undefined ? {} : { properties }),
        })),
      );
    await define(both());
    const watched = await watch('/apis/example.test/v2/namespaces/ns/gadgets?watch=true');
    const creating = request('POST', GADGETS, gadget('a', { spec: { color: 'red' } }));
    await settle();
    await redefine(
      { request },
      both({ spec: { type: 'object', properties: { size: { type: 'integer', default: 9 } } } }),
    );
    expect((await request('GET', '/apis/example.test/v2/namespaces/ns/gadgets')).body['items']).toEqual([]);
    expect([watched.ended, stopped]).toEqual([true, []]);
    gate.resolve(undefined);
    expect(await creating).toMatchObject({ status: 201, body: { spec: { color: 'red', size: 7 } } });
    await settle();
    expect([watched.ended, stopped]).toEqual([true, [1]]);
    expect(asked[0]).toBe('1: v1 to v2');
    const seen = await request('GET', '/apis/example.test/v2/namespaces/ns/gadgets/a');
    expect(seen.body['spec']).toEqual({ size: 7 });
    const listed = await request('GET', '/apis/example.test/v2/namespaces/ns/gadgets');
    expect(listed.body['items']).toMatchObject([{ spec: { size: 7 } }]);
  });

  it('does not keep the server from stopping while requests are running', async () => {
    const { define, request, server, watch } = await startTestExtensions({
      converter: () => ({ convert: () => new Promise(() => undefined) }),
    });
    await define(gadgets(['v1', 'v2'].map((name) => ({ name, storage: name === 'v2' }))));
    const watched = await watch('/apis/example.test/v2/namespaces/ns/gadgets?watch=true');
    void request('POST', GADGETS, gadget('a'));
    await settle();
    await redefine({ request }, gadgets([{ name: 'v2' }, { name: 'v1', storage: false, more: { deprecated: true } }]));
    await server.stop();
    expect(watched.ended).toBe(true);
  });

  it('publishes only its own group-version', async () => {
    const { define, request, discovery } = await startTestExtensions();
    await define(before);
    await define({ ...gadgets([{}], { group: 'other.test' }), metadata: { name: 'gadgets.other.test' } });
    const seen: string[] = [];
    discovery.onChange(({ group, version }) => seen.push(`${group}/${version}`));
    await redefine({ request }, gadgets([{}, { name: 'v2', storage: false }]));
    expect(new Set(seen)).toEqual(new Set(['example.test/v1', 'example.test/v2']));
    expect(discovery.get({ group: 'example.test', version: 'v2' })?.resources).toHaveLength(1);
    await redefine({ request }, before);
    expect(discovery.get({ group: 'example.test', version: 'v2' })).toBeUndefined();
  });
});
