import { describe, expect, it } from 'vitest';
import type { Preconditions } from '../../apimachinery/meta/delete-options.ts';
import { invalid } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { decodeUtf8 } from '../../base/bytes.ts';
import { cloneJson, type JsonObject } from '../../base/json-value.ts';
import { settle } from '../../base/virtual-clock.ts';
import { openResource } from '../resource/open-resource.ts';
import type { ObjectChange, ResourceStore, UpdateRequest } from '../resource/resource-store.ts';
import type { Strategy } from '../resource/strategy.ts';
import { updateSubresource } from '../resource/update-subresource.ts';
import {
  at,
  complaint,
  deletion,
  made,
  parse,
  refused,
  type Shown,
  strategy,
  type Things,
  thing,
  things,
  UPDATE,
  v1,
  v2,
  watching,
} from './thing.fixtures.ts';

/** A PUT of this object. */
function put(object: JsonObject, preconditions?: Preconditions): ObjectChange {
  return { apply: () => cloneJson(object), preconditions };
}

/** A PATCH that edits a copy of the current object. */
function patch(edit: (object: JsonObject, metadata: JsonObject) => void): ObjectChange {
  return {
    apply: (current) => {
      const object = current as JsonObject;
      edit(object, object['metadata'] as JsonObject);
      return object;
    },
    preconditions: undefined,
  };
}

async function update(
  store: ResourceStore,
  change: ObjectChange,
  request: Partial<UpdateRequest> = {},
  context = at('a'),
): Promise<Shown> {
  const answer = await store.update!(context, change, { ...UPDATE, ...request });
  return parse(answer.bytes);
}

async function withA(overrides: Partial<Strategy> = {}): Promise<Things> {
  const world = await things({ strategy: { ...strategy, ...overrides } });
  await made(world.store, thing('a', { spec: { color: 'red' } }));
  return world;
}

describe('an update', () => {
  it('replaces the object and increments the generation unless only metadata and status changed', async () => {
    const { store } = await withA();
    const blue = await update(store, put(thing('a', { spec: { color: 'blue' } })));
    expect(blue.spec).toEqual({ color: 'blue' });
    expect(blue.metadata).toEqual({
      name: 'a',
      namespace: 'ns',
      uid: 'uid-1',
      resourceVersion: '3',
      generation: 2,
      creationTimestamp: '2030-01-01T00:00:00Z',
    });
    const labelled = await update(
      store,
      patch((object, metadata) => {
        metadata['labels'] = { x: 'y' };
        metadata['generation'] = 17;
        object['status'] = { ok: true };
      }),
    );
    expect(labelled.metadata).toMatchObject({ generation: 2, resourceVersion: '4', labels: { x: 'y' } });
    expect(parse(await store.get(at('a'), { resourceVersion: '' }))).toEqual(labelled);
  });

  it('keeps system metadata that clients may not change', async () => {
    const { store, clock } = await withA({ countsGeneration: false });
    await clock.advance(5000);
    const { metadata } = await update(
      store,
      put(
        thing(
          'a',
          {},
          {
            creationTimestamp: '2000-01-01T00:00:00Z',
            generation: 5,
            selfLink: '/x',
            managedFields: [{ manager: 'me', operation: 'Update' }],
          },
        ),
      ),
    );
    expect(metadata).toEqual({
      name: 'a',
      namespace: 'ns',
      uid: 'uid-1',
      resourceVersion: '3',
      creationTimestamp: '2030-01-01T00:00:00Z',
      managedFields: [{ manager: 'me', operation: 'Update' }],
    });
  });

  it('is not written when only times of managedFields change', async () => {
    const entry = { manager: 'me', operation: 'Update', time: '2030-01-01T00:00:00Z' };
    const { store } = await withA();
    const first = await update(store, put(thing('a', {}, { managedFields: [entry] })));
    const later = { ...entry, time: '2030-01-01T00:00:09Z' };
    expect(await update(store, put(thing('a', {}, { managedFields: [later] })))).toEqual(first);
    const changed = await update(store, put(thing('a', { color: 'blue' }, { managedFields: [later] })));
    expect(changed.metadata).toMatchObject({ managedFields: [later] });
  });

  it('that keeps managedFields is refused if they make the object too large; others lose them', async () => {
    const { store } = await withA();
    const entries = [{ manager: 'me', operation: 'Apply', fieldsV1: { [`f:${'x'.repeat(1_500_000)}`]: {} } }];
    const large = put(thing('a', {}, { managedFields: entries }));
    const kept = store.update(at('a'), large, { ...UPDATE, keepManagedFields: true });
    await expect(Promise.resolve(kept)).rejects.toMatchObject({ status: { code: 413 } });
    expect((await update(store, large)).metadata).not.toHaveProperty('managedFields');
  });

  it('is not written when nothing changes, whatever the order of the fields', async () => {
    const { store, storage } = await withA();
    const before = parse(await store.get(at('a'), { resourceVersion: '' }));
    const { events } = await watching(store, { resourceVersion: '2' });
    const shuffled = { spec: { color: 'red' }, metadata: { name: 'a' }, kind: 'Thing', apiVersion: 'example.test/v1' };
    expect(await update(store, put(shuffled))).toEqual(before);
    expect(
      await update(
        store,
        patch(() => undefined),
      ),
    ).toEqual(before);
    await settle();
    expect([await storage.revision(), events.short]).toEqual([2, []]);
  });

  it('answers 409 to an old resourceVersion and accepts the current one', async () => {
    const { store } = await withA();
    const blue = thing('a', { spec: { color: 'blue' } }, { resourceVersion: '2' });
    await update(store, put(blue));
    expect(await complaint(() => update(store, put(blue)))).toEqual([
      409,
      'Conflict',
      'Operation cannot be fulfilled on things.example.test "a": the object has been modified; please apply your changes to the latest version and try again',
    ]);
    expect(await complaint(() => update(store, put(thing('a', {}, { resourceVersion: 'abc' }))))).toEqual([
      500,
      '',
      'strconv.ParseUint: parsing "abc": invalid syntax',
    ]);
  });

  it('requires a resourceVersion if the strategy allows no unconditional update', async () => {
    const { store } = await withA({ allowUnconditionalUpdate: false });
    expect(await refused(() => update(store, put(thing('a'))))).toMatchObject({
      code: 422,
      message:
        'things.example.test "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      details: { name: 'a', group: 'example.test', kind: 'things' },
    });
  });

  it('repeats on the newest state when another write came first, and loses no change', async () => {
    const { store } = await withA();
    const count = (name: string): ObjectChange =>
      patch((object) => void Object.assign(object['spec'] as JsonObject, { [name]: true }));
    await Promise.all(['p', 'q', 'r', 's'].map((name) => update(store, count(name))));
    expect(parse(await store.get(at('a'), { resourceVersion: '' })).spec).toEqual({
      color: 'red',
      p: true,
      q: true,
      r: true,
      s: true,
    });
  });

  it('queues concurrent changes of one object, so that each is applied about once', async () => {
    const { store } = await withA();
    const names = Array.from({ length: 150 }, (_, i) => `n${i}`);
    let applied = 0;
    const count = (name: string): ObjectChange =>
      patch((object) => {
        applied++;
        Object.assign(object['spec'] as JsonObject, { [name]: true });
      });
    await Promise.all(names.map((name) => update(store, count(name))));
    const { spec = {} } = parse(await store.get(at('a'), { resourceVersion: '' }));
    expect(Object.keys(spec)).toEqual(expect.arrayContaining(names));
    expect(applied).toBeLessThan(3 * names.length);
  });

  it('refuses the second of two updates with the same resourceVersion', async () => {
    const { store } = await withA();
    const write = (color: string) =>
      update(store, put(thing('a', { spec: { color } }, { resourceVersion: '2' }))).then(
        () => 'ok',
        () => 'conflict',
      );
    expect((await Promise.all([write('x'), write('y')])).sort()).toEqual(['conflict', 'ok']);
  });

  it("refuses with kube-apiserver's texts if preconditions do not hold", async () => {
    const { store } = await withA();
    const blue = put(thing('a', { spec: { color: 'blue' } }), { uid: 'nope', resourceVersion: undefined });
    expect(await complaint(() => update(store, blue))).toEqual([
      409,
      'Conflict',
      'Operation cannot be fulfilled on things.example.test "a": StorageError: invalid object, Code: 4, Key: /registry/example.test/things/ns/a, ' +
        'ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: nope, UID in object meta: uid-1',
    ]);
    const stale = put(thing('a'), { uid: 'uid-1', resourceVersion: '1' });
    expect((await refused(() => update(store, stale))).message).toContain(
      'Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: 2',
    );
    await update(store, put(thing('a'), { uid: 'uid-1', resourceVersion: '2' }));
  });

  it('refuses to change the identity of an object, together with the issues of the strategy', async () => {
    const { store } = await withA({
      validateUpdate: () => [invalid(FieldPath.of('spec'), null, 'is needed')],
    });
    const status = await refused(() =>
      update(store, put(thing('a', {}, { uid: 'other', deletionTimestamp: '2000-01-01T00:00:00Z' }))),
    );
    expect(status.code).toBe(422);
    expect(status.details?.causes?.map((cause) => cause.field)).toEqual([
      'metadata.uid',
      'metadata.deletionTimestamp',
      'spec',
    ]);
    expect((await refused(() => update(store, put(thing('a', {}, { namespace: 'other' }))))).code).toBe(400);
  });

  it('answers 404 if the object does not exist, unless the strategy or the request allows a create', async () => {
    const { store } = await things();
    const change = put(thing('a', { spec: { color: 'red' } }, { resourceVersion: '77' }));
    expect((await refused(() => update(store, change))).code).toBe(404);
    const answer = await store.update(at('a'), change, { ...UPDATE, forceAllowCreate: true });
    expect(answer.created).toBe(true);
    expect(parse(answer.bytes).metadata).toMatchObject({ uid: 'uid-1', generation: 1, resourceVersion: '2' });
    const again = await store.update(at('a'), put(thing('a')), { ...UPDATE, forceAllowCreate: true });
    expect(again.created).toBe(false);
    const other = await things({ strategy: { ...strategy, allowCreateOnUpdate: true } });
    const expects = put(thing('a'), { uid: 'zz', resourceVersion: undefined });
    expect((await refused(() => update(other.store, expects))).message).toContain('UID in object meta: ');
    expect((await update(other.store, put(thing('a')))).metadata.name).toBe('a');
  });

  it('calls validating admission with both objects in the version of the request', async () => {
    const { store } = await withA();
    const seen: JsonObject[] = [];
    const validateUpdate = (object: JsonObject, old: JsonObject): void => void seen.push(object, old);
    const validateCreate = (object: JsonObject): void => void seen.push(object);
    const blue = { ...thing('a', { spec: { hue: 'blue' } }), apiVersion: 'example.test/v2' };
    const shown = await update(store, put(blue), { validateUpdate }, at('a', 'ns', v2));
    expect(shown).toMatchObject({ apiVersion: 'example.test/v2', spec: { hue: 'blue', size: 1 } });
    expect(seen).toMatchObject([
      { apiVersion: 'example.test/v2', spec: { hue: 'blue', size: 1 } },
      { apiVersion: 'example.test/v2', spec: { hue: 'red', size: 1 } },
    ]);
    await update(store, put(thing('n')), { validateCreate, forceAllowCreate: true }, at('n'));
    expect(seen[2]).toMatchObject({ metadata: { name: 'n' } });
    expect(parse(await store.get(at('a'), { resourceVersion: '' })).spec).toEqual({ color: 'blue' });
  });

  it('calls the strategy with objects of its version', async () => {
    const seen: unknown[] = [];
    for (const objectVersion of ['storage', 'request'] as const) {
      const prepareForUpdate = (object: JsonObject, old: JsonObject): void =>
        void seen.push(object['apiVersion'], old['apiVersion']);
      const { store } = await withA({ objectVersion, prepareForUpdate });
      await update(store, { ...put({ ...thing('a'), apiVersion: 'example.test/v2' }) }, {}, at('a', 'ns', v2));
    }
    expect(seen).toEqual(['example.test/v1', 'example.test/v1', 'example.test/v2', 'example.test/v2']);
  });

  it('stores nothing in a dry run and answers with the current resourceVersion', async () => {
    const { store, storage } = await withA();
    const shown = await update(store, put(thing('a', { spec: { color: 'blue' } })), { dryRun: true });
    expect([shown.spec, shown.metadata.resourceVersion, shown.metadata.generation]).toEqual([
      { color: 'blue' },
      '2',
      2,
    ]);
    expect(await storage.revision()).toBe(2);
  });

  it('keeps 64-bit integers exact', async () => {
    const { store } = await withA();
    await update(
      store,
      patch((object) => void Object.assign(object, { spec: { n: 9007199254740993n } })),
    );
    await update(
      store,
      patch((_, metadata) => void Object.assign(metadata, { labels: { x: 'y' } })),
    );
    expect(decodeUtf8(await store.get(at('a'), { resourceVersion: '' }))).toContain('"n":9007199254740993');
  });

  it('adds a warning once', async () => {
    const { store } = await withA({ warningsOnUpdate: () => ['careful'] });
    const context = at('a');
    await update(store, put(thing('a')), {}, context);
    expect(context.request.warnings).toEqual(['careful']);
  });

  it('answers 504 after the deadline of the request', async () => {
    const { store, clock } = await withA();
    const context = at('a', 'ns', v1, { deadline: 1000 });
    await clock.advance(1001);
    expect((await refused(() => update(store, put(thing('a')), {}, context))).code).toBe(504);
  });

  it('renews the time to live', async () => {
    const { store, clock } = await withA({ ttlSeconds: () => 60 });
    await clock.advance(50_000);
    await update(store, put(thing('a', { spec: { color: 'blue' } })));
    await clock.advance(50_000);
    await store.get(at('a'), { resourceVersion: '' });
    await clock.advance(15_000);
    expect((await refused(() => store.get(at('a'), { resourceVersion: '' }))).code).toBe(404);
  });
});

describe('an update of a terminating object', () => {
  async function terminating(overrides: Partial<Strategy> = {}): Promise<Things> {
    const world = await things({ strategy: { ...strategy, ...overrides } });
    await made(world.store, thing('a', {}, { finalizers: ['example.test/x', 'example.test/y'] }));
    await world.store.delete(at('a'), deletion());
    return world;
  }

  it('may remove finalizers, but not add one or undo the deletion', async () => {
    const { store } = await terminating();
    expect(await complaint(() => update(store, put(thing('a', {}, { finalizers: ['example.test/z'] }))))).toEqual([
      422,
      'Invalid',
      'Thing.example.test "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.test/z"}',
    ]);
    const { metadata } = await update(store, put(thing('a', {}, { finalizers: ['example.test/y'] })));
    expect(metadata).toMatchObject({ finalizers: ['example.test/y'], deletionGracePeriodSeconds: 0 });
    expect(metadata.deletionTimestamp).toBe('2030-01-01T00:00:00Z');
  });

  it('deletes it with the last finalizer, and answers with the updated object', async () => {
    const { store } = await terminating();
    const { events } = await watching(store, { resourceVersion: '3' });
    const shown = await update(store, put(thing('a', { spec: { color: 'gone' } })));
    expect([shown.spec, shown.metadata.resourceVersion, shown.metadata.finalizers]).toEqual([
      { color: 'gone' },
      '3',
      undefined,
    ]);
    await settle();
    expect(events.short).toEqual(['DELETED a']);
    expect(events.seen[0]?.[1].metadata.resourceVersion).toBe('4');
    expect((await refused(() => store.get(at('a'), { resourceVersion: '' }))).code).toBe(404);
  });

  it('does not delete it before its grace period is over', async () => {
    const { store } = await terminating({ grace: () => ({ gracePeriodSeconds: 30 }) });
    expect((await update(store, put(thing('a')))).metadata.deletionGracePeriodSeconds).toBe(30);
    await store.get(at('a'), { resourceVersion: '' });
  });

  it('does not delete it in a dry run, or while the strategy holds it', async () => {
    const { store } = await terminating();
    await update(store, put(thing('a')), { dryRun: true });
    await store.get(at('a'), { resourceVersion: '' });
    const held = await terminating({ holdsDeletion: (object) => object['spec'] !== undefined });
    await update(held.store, put(thing('a', { spec: {} })));
    await held.store.get(at('a'), { resourceVersion: '' });
    await update(held.store, put(thing('a')));
    expect((await refused(() => held.store.get(at('a'), { resourceVersion: '' }))).code).toBe(404);
  });
});

describe('a subresource with a strategy of its own', () => {
  const status: Strategy = {
    ...strategy,
    countsGeneration: false,
    prepareForUpdate: (object, old) => void Object.assign(object, { spec: old['spec'] }),
  };

  it('reads and updates the objects of its parent', async () => {
    const world = await things({ subresources: [updateSubresource('status', status)] });
    const { store, subresources, registry } = openResource(world.definition, world.host);
    await made(registry!, thing('a', { spec: { color: 'red' } }));
    const sub = subresources.get('status')!.store;
    expect(Object.keys(sub)).toEqual(['get', 'update']);
    const shown = await update(sub, put(thing('a', { spec: { color: 'blue' }, status: { ok: true } })));
    expect(shown).toMatchObject({ spec: { color: 'red' }, status: { ok: true }, metadata: { generation: 1 } });
    expect(parse(await store.get!(at('a'), { resourceVersion: '' }))).toEqual(shown);
    expect(parse(await sub.get!(at('a'), { resourceVersion: '' }))).toEqual(shown);
  });
});
