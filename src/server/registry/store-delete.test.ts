import { describe, expect, it } from 'vitest';
import type { DeleteOptions } from '../../apimachinery/meta/delete-options.ts';
import { isNotFound, StatusError } from '../../apimachinery/status/status.ts';
import { forbidden } from '../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { settle } from '../../base/virtual-clock.ts';
import type { DeleteAnswer } from '../resource/resource-store.ts';
import type { Strategy } from '../resource/strategy.ts';
import {
  at,
  complaint,
  deletion,
  made,
  parse,
  query,
  refused,
  type Shown,
  strategy,
  type Things,
  thing,
  things,
  v2,
  watching,
} from './thing.fixtures.ts';

async function withA(metadata: JsonObject = {}, overrides: Partial<Strategy> = {}): Promise<Things> {
  const world = await things({ strategy: { ...strategy, ...overrides } });
  await made(world.store, thing('a', { spec: { color: 'red' } }, metadata));
  return world;
}

function remove({ store }: Things, options: Partial<DeleteOptions> = {}, context = at('a')): Promise<DeleteAnswer> {
  return Promise.resolve(store.delete(context, deletion(options)));
}

/** The object that a deletion left behind. */
async function marked(world: Things, options: Partial<DeleteOptions> = {}): Promise<Shown> {
  const answer = await remove(world, options);
  if (answer.outcome !== 'pending') throw new Error(answer.outcome);
  return parse(answer.bytes);
}

async function exists({ store }: Things, name = 'a'): Promise<boolean> {
  try {
    await store.get(at(name), { resourceVersion: '' });
    return true;
  } catch (caught) {
    if (isNotFound(caught)) return false;
    throw caught;
  }
}

/** The options that admission sees. */
async function admitted({ store }: Things): Promise<DeleteOptions | undefined> {
  let seen: DeleteOptions | undefined;
  const validate = (_: JsonObject, completed?: DeleteOptions): void => {
    seen = completed;
  };
  await store.delete(at('a'), { ...deletion(), validate });
  return seen;
}

describe('a delete', () => {
  it('of a held object shows admission the uid of the object', async () => {
    const world = await withA({}, { holdsDeletion: () => true });
    expect(await admitted(world)).toMatchObject({ preconditions: { uid: 'uid-1' }, gracePeriodSeconds: undefined });
  });

  it('removes an object that nothing holds', async () => {
    const world = await withA();
    const { events } = await watching(world.store, { resourceVersion: '2' });
    expect(await remove(world)).toEqual({ outcome: 'deleted', name: 'a', uid: 'uid-1', bytes: undefined });
    await settle();
    expect(events.short).toEqual(['DELETED a']);
    expect(events.seen[0]?.[1]).toMatchObject({ spec: { color: 'red' }, metadata: { resourceVersion: '3' } });
    expect((await refused(() => remove(world))).code).toBe(404);
  });

  it('answers with the last state in the version of the request if the strategy says so', async () => {
    const world = await withA({}, { returnsDeletedObject: true });
    const answer = await remove(world, {}, at('a', 'ns', v2));
    if (answer.outcome !== 'deleted') throw new Error(answer.outcome);
    expect(parse(answer.bytes!)).toMatchObject({ apiVersion: 'example.test/v2', metadata: { resourceVersion: '3' } });
  });

  it("refuses with kube-apiserver's texts if preconditions do not hold", async () => {
    const world = await withA();
    expect(await complaint(() => remove(world, { preconditions: { uid: 'x', resourceVersion: undefined } }))).toEqual([
      409,
      'Conflict',
      'Operation cannot be fulfilled on Thing.example.test "a": the UID in the precondition (x) does not match the UID in record (uid-1). The object might have been deleted and then recreated',
    ]);
    expect(await complaint(() => remove(world, { preconditions: { uid: 'uid-1', resourceVersion: '1' } }))).toEqual([
      409,
      'Conflict',
      'Operation cannot be fulfilled on Thing.example.test "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2). The object might have been modified',
    ]);
    await remove(world, { preconditions: { uid: 'uid-1', resourceVersion: '2' } });
    expect(await exists(world)).toBe(false);
  });

  it('calls admission with the object in the version of the request', async () => {
    const world = await withA();
    const seen: JsonObject[] = [];
    const validate = (old: JsonObject): void => {
      seen.push(old);
      throw new StatusError(forbidden({ group: '', resource: 'things' }, 'a', 'no'));
    };
    expect((await refused(() => world.store.delete(at('a', 'ns', v2), { ...deletion(), validate }))).code).toBe(403);
    expect(seen).toMatchObject([{ apiVersion: 'example.test/v2', spec: { hue: 'red', size: 1 } }]);
    expect(await exists(world)).toBe(true);
  });

  it('deletes nothing in a dry run', async () => {
    const world = await withA();
    expect(await remove(world, { dryRun: ['All'] })).toMatchObject({ outcome: 'deleted', name: 'a' });
    const shown = await marked(world, { dryRun: ['All'], orphanDependents: true });
    expect(shown.metadata).toMatchObject({ finalizers: ['orphan'], resourceVersion: '2', generation: 2 });
    expect(await world.storage.revision()).toBe(2);
  });
});

describe('a delete of an object with finalizers', () => {
  it('marks it, increments the generation, and changes nothing the second time', async () => {
    const world = await withA({ finalizers: ['example.test/x'] });
    const shown = await marked(world);
    expect(shown.metadata).toMatchObject({
      deletionTimestamp: '2030-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
      generation: 2,
      resourceVersion: '3',
      finalizers: ['example.test/x'],
    });
    await world.clock.advance(5000);
    expect(await marked(world)).toEqual(shown);
    expect(await world.storage.revision()).toBe(3);
  });

  it.each<[string, Partial<DeleteOptions>, readonly string[], Strategy['defaultGarbageCollection'], readonly string[]]>(
    [
      ['Foreground', { propagationPolicy: 'Foreground' }, [], undefined, ['foregroundDeletion']],
      ['Orphan', { propagationPolicy: 'Orphan' }, [], undefined, ['orphan']],
      ['Background', { propagationPolicy: 'Background' }, [], 'orphan', []],
      ['Background over an earlier orphan', { propagationPolicy: 'Background' }, ['orphan'], undefined, []],
      [
        'Orphan over an earlier foreground',
        { propagationPolicy: 'Orphan' },
        ['foregroundDeletion'],
        undefined,
        ['orphan'],
      ],
      [
        'Foreground beside others',
        { propagationPolicy: 'Foreground' },
        ['x.io/x'],
        undefined,
        ['x.io/x', 'foregroundDeletion'],
      ],
      ['orphanDependents', { orphanDependents: true }, [], undefined, ['orphan']],
      ['orphanDependents false', { orphanDependents: false }, [], 'orphan', []],
      ['nothing, a kind that orphans', {}, [], 'orphan', ['orphan']],
      ['nothing, an object that says', {}, ['foregroundDeletion'], 'orphan', ['foregroundDeletion']],
      ['nothing', {}, [], undefined, []],
      ['Orphan, a kind without a collector', { propagationPolicy: 'Orphan' }, [], 'unsupported', []],
    ],
  )(
    'asks the garbage collector as options, object and kind say: %s',
    async (_, options, finalizers, policy, wanted) => {
      const overrides = policy === undefined ? {} : { defaultGarbageCollection: policy };
      const world = await withA(finalizers.length === 0 ? {} : { finalizers: [...finalizers] }, overrides);
      if (wanted.length === 0) {
        expect((await remove(world, options)).outcome).toBe('deleted');
        expect(await exists(world)).toBe(false);
      } else expect((await marked(world, options)).metadata.finalizers).toEqual(wanted);
    },
  );

  it("may change the garbage collector's finalizer of a terminating object", async () => {
    const world = await withA();
    expect((await marked(world, { propagationPolicy: 'Foreground' })).metadata.finalizers).toEqual([
      'foregroundDeletion',
    ]);
    expect((await marked(world, { propagationPolicy: 'Orphan' })).metadata).toMatchObject({
      finalizers: ['orphan'],
      generation: 2,
    });
    expect((await remove(world, { propagationPolicy: 'Background' })).outcome).toBe('deleted');
  });

  it('is held by the strategy too, which may change the object', async () => {
    const world = await withA(
      {},
      {
        holdsDeletion: () => true,
        prepareForDeletion: (object) => void Object.assign(object, { status: { phase: 'Terminating' } }),
      },
    );
    const shown = await marked(world);
    expect(shown.status).toEqual({ phase: 'Terminating' });
    expect(shown.metadata.deletionTimestamp).toBe('2030-01-01T00:00:00Z');
    expect(await marked(world)).toEqual(shown);
    expect(await marked(world, { propagationPolicy: 'Foreground' })).toEqual(shown);
  });
});

describe('a graceful delete', () => {
  const grace: Strategy['grace'] = (_, options) => ({ gracePeriodSeconds: Number(options.gracePeriodSeconds ?? 30) });

  it('marks the object with the end of its grace period', async () => {
    const world = await withA({}, { grace, returnsDeletedObject: true });
    expect((await marked(world)).metadata).toMatchObject({
      deletionTimestamp: '2030-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
      generation: 2,
    });
    await world.clock.advance(5000);
    expect((await marked(world)).metadata.resourceVersion).toBe('3');
    expect((await marked(world, { gracePeriodSeconds: 40 })).metadata.deletionGracePeriodSeconds).toBe(30);
  });

  it('can be shortened, not into the past, and ends at zero', async () => {
    const world = await withA({}, { grace });
    await marked(world);
    await world.clock.advance(5000);
    expect((await marked(world, { gracePeriodSeconds: 10 })).metadata).toMatchObject({
      deletionTimestamp: '2030-01-01T00:00:10Z',
      deletionGracePeriodSeconds: 10,
      generation: 2,
    });
    expect((await marked(world, { gracePeriodSeconds: 2 })).metadata).toMatchObject({
      deletionTimestamp: '2030-01-01T00:00:05Z',
      deletionGracePeriodSeconds: 1,
    });
    expect((await remove(world, { gracePeriodSeconds: 0 })).outcome).toBe('deleted');
    expect(await exists(world)).toBe(false);
  });

  it('shows admission the grace period of the strategy', async () => {
    const world = await withA({}, { grace });
    expect(await admitted(world)).toMatchObject({ gracePeriodSeconds: 30, preconditions: undefined });
  });

  it('with a grace period of 0 is watched as a change and a deletion', async () => {
    const world = await withA({}, { grace });
    const { events } = await watching(world.store, { resourceVersion: '2' });
    await remove(world, { gracePeriodSeconds: 0, preconditions: { uid: undefined, resourceVersion: '2' } });
    await settle();
    expect(events.short).toEqual(['MODIFIED a', 'DELETED a']);
    expect(events.seen[1]?.[1].metadata.deletionGracePeriodSeconds).toBe(0);
  });

  it('waits for finalizers with a grace period of 0, and a negative period counts as one second', async () => {
    const world = await withA({ finalizers: ['example.test/x'] }, { grace });
    expect((await marked(world, { gracePeriodSeconds: -5 })).metadata.deletionGracePeriodSeconds).toBe(1);
    expect((await marked(world, { gracePeriodSeconds: 0 })).metadata.deletionGracePeriodSeconds).toBe(0);
    expect(await exists(world)).toBe(true);
  });

  it('is an immediate one if the strategy returns undefined', async () => {
    const world = await withA({}, { grace: () => undefined });
    expect((await remove(world)).outcome).toBe('deleted');
  });
});

describe('a delete of a collection', () => {
  async function many(): Promise<Things> {
    const world = await things();
    for (const name of ['a', 'b', 'c', 'd'])
      await made(
        world.store,
        thing(name, {}, name === 'd' ? { finalizers: ['example.test/x'] } : { labels: { l: name } }),
      );
    await made(world.store, thing('z'), at('', 'other'));
    return world;
  }

  async function left({ store }: Things): Promise<string> {
    const page = await store.list(at('', ''), query());
    return page.items.map((bytes) => parse(bytes).metadata.name).join('');
  }

  it('deletes the selected objects and answers with them as they were', async () => {
    const world = await many();
    const list = query({ labels: 'l in (a,c)' });
    const page = await world.store.deleteCollection(at(''), { ...deletion(), list });
    expect(page).toMatchObject({ resourceVersion: '6', continueToken: '', remaining: undefined });
    expect(page.items.map((bytes) => parse(bytes).metadata.resourceVersion)).toEqual(['2', '4']);
    expect(await left(world)).toBe('bdz');
  });

  it('marks held objects, stops at the limit, and deletes nothing in a dry run', async () => {
    const world = await many();
    await world.store.deleteCollection(at(''), { ...deletion({ dryRun: ['All'] }), list: query() });
    expect(await left(world)).toBe('abcdz');
    const page = await world.store.deleteCollection(at(''), { ...deletion(), list: query({ limit: 2 }) });
    expect([page.items.length, page.remaining]).toEqual([2, 2]);
    expect(await left(world)).toBe('cdz');
    await world.store.deleteCollection(at(''), { ...deletion(), list: query() });
    expect(await left(world)).toBe('dz');
    expect(parse(await world.store.get(at('d'), { resourceVersion: '' })).metadata.deletionTimestamp).toBeDefined();
  });

  it('reads a resourceVersion with a limit as exact, and a negative limit as none', async () => {
    const clear = async (limit: number): Promise<string> => {
      const world = await many();
      await world.store.deleteCollection(at(''), { ...deletion(), list: query({ resourceVersion: '2', limit }) });
      return left(world);
    };
    expect([await clear(0), await clear(-1)]).toEqual(['bcdz', 'dz']);
  });

  it('deletes in all namespaces if none is given', async () => {
    const world = await many();
    await world.store.deleteCollection(at('', ''), { ...deletion(), list: query({ fields: 'metadata.name!=d' }) });
    expect(await left(world)).toBe('d');
  });

  it('skips objects that another request has deleted', async () => {
    const world = await many();
    const clear = async () => world.store.deleteCollection(at(''), { ...deletion(), list: query() });
    await Promise.all([clear(), clear()]);
    expect(await left(world)).toBe('dz');
  });

  it('ends with the first failure', async () => {
    const world = await many();
    const validate = (old: JsonObject): void => {
      if ((old['metadata'] as JsonObject)['name'] === 'b')
        throw new StatusError(forbidden({ group: '', resource: 'things' }, 'b', 'no'));
    };
    const request = { ...deletion(), validate, list: query() };
    expect((await refused(() => world.store.deleteCollection(at(''), request))).code).toBe(403);
    expect(await exists(world, 'b')).toBe(true);
  });
});
