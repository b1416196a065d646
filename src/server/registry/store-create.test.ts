import { describe, expect, it } from 'vitest';
import { StatusError } from '../../apimachinery/status/status.ts';
import { forbidden } from '../../apimachinery/status/status-catalogue.ts';
import { invalid } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { nameIsPathSegment } from '../../apimachinery/validation/name-rules.ts';
import { decodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import {
  at,
  CREATE,
  complaint,
  deletion,
  made,
  parse,
  refused,
  strategy,
  thing,
  things,
  v2,
} from './thing.fixtures.ts';

describe('a create', () => {
  it('sets system metadata and drops what clients may not set', async () => {
    const { store } = await things();
    const created = await made(
      store,
      thing(
        'a',
        { spec: { color: 'red' } },
        {
          uid: 'mine',
          creationTimestamp: '2000-01-01T00:00:00Z',
          deletionTimestamp: '2000-01-01T00:00:00Z',
          deletionGracePeriodSeconds: 4,
          selfLink: '/x',
          generation: 7,
          managedFields: [{ manager: 'me', operation: 'Update' }],
        },
      ),
    );
    expect(created).toEqual({
      apiVersion: 'example.test/v1',
      kind: 'Thing',
      metadata: {
        name: 'a',
        namespace: 'ns',
        uid: 'uid-1',
        resourceVersion: '2',
        generation: 1,
        creationTimestamp: '2030-01-01T00:00:00Z',
        managedFields: [{ manager: 'me', operation: 'Update' }],
      },
      spec: { color: 'red' },
    });
  });

  it('drops managedFields if the object is too large for storage with them', async () => {
    const { store } = await things();
    const entries = [{ manager: 'me', operation: 'Update', fieldsV1: { [`f:${'x'.repeat(1_500_000)}`]: {} } }];
    const { metadata } = await made(store, thing('a', {}, { managedFields: entries }));
    expect(metadata).toMatchObject({ name: 'a' });
    expect(metadata).not.toHaveProperty('managedFields');
  });

  it('keeps the generation of a kind that does not count it', async () => {
    const { store } = await things({ strategy: { ...strategy, countsGeneration: false } });
    expect((await made(store, thing('a', {}, { generation: 7 }))).metadata.generation).toBe(7);
    expect((await made(store, thing('b'))).metadata.generation).toBeUndefined();
  });

  it("stores no resourceVersion, under kube-apiserver's key", async () => {
    const { store, storage } = await things();
    await made(store, thing('a'));
    const result = await storage.get('registry/example.test/things/ns/a');
    if (result.outcome !== 'found') throw new Error(result.outcome);
    expect(decodeUtf8(result.item.value)).toBe(
      '{"apiVersion":"example.test/v1","kind":"Thing","metadata":{"name":"a","namespace":"ns","uid":"uid-1","generation":1,"creationTimestamp":"2030-01-01T00:00:00Z"}}',
    );
  });

  it('has no namespace in a cluster-scoped resource', async () => {
    const { store, storage } = await things({ scope: 'Cluster' });
    const created = await made(store, thing('a', {}, { namespace: 'somewhere' }), at('', ''));
    expect(created.metadata.namespace).toBeUndefined();
    expect((await storage.get('registry/example.test/things/a')).outcome).toBe('found');
  });

  it('refuses an object of another namespace', async () => {
    const { store } = await things();
    expect(await complaint(() => made(store, thing('a', {}, { namespace: 'other' })))).toEqual([
      400,
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    ]);
  });

  it('refuses a resourceVersion with a 500, after validation, except in a dry run', async () => {
    const { store } = await things();
    const object = thing('a', {}, { resourceVersion: '5' });
    expect(await complaint(() => made(store, object))).toEqual([
      500,
      '',
      'resourceVersion should not be set on objects to be created',
    ]);
    expect((await made(store, thing('b', {}, { resourceVersion: '0' }))).metadata.resourceVersion).toBe('2');
    expect((await made(store, thing('c', {}, { resourceVersion: 'abc' }))).metadata.resourceVersion).toBe('3');
    await store.create(at(''), object, { ...CREATE, dryRun: true });
  });

  it('answers 409 to a name that is taken, and says if that object is being deleted', async () => {
    const { store } = await things();
    await made(store, thing('a', {}, { finalizers: ['example.test/x'] }));
    expect(await complaint(() => made(store, thing('a')))).toEqual([
      409,
      'AlreadyExists',
      'things.example.test "a" already exists',
    ]);
    await store.delete(at('a'), deletion());
    expect((await refused(() => made(store, thing('a')))).message).toBe(
      'object is being deleted: things.example.test "a" already exists',
    );
    const named = thing('a', {}, { generateName: 'b' });
    expect((await refused(() => made(store, named))).details?.retryAfterSeconds).toBe(1);
  });

  it('validates the name by the rule of the kind and everything else by the strategy, which comes first', async () => {
    const spec = FieldPath.of('spec');
    const { store } = await things({
      strategy: { ...strategy, validate: (object) => (object['spec'] ? [] : [invalid(spec, null, 'is needed')]) },
    });
    expect(await complaint(() => made(store, thing('A', { spec: {} })))).toEqual([
      422,
      'Invalid',
      expect.stringMatching(
        /^Thing\.example\.test "A" is invalid: metadata\.name: Invalid value: "A": a lowercase RFC 1123/,
      ),
    ]);
    const status = await refused(() => made(store, thing('A')));
    expect(status.details?.causes).toEqual([
      { reason: 'FieldValueInvalid', message: 'Invalid value: null: is needed', field: 'spec' },
    ]);
    expect((await refused(() => made(store, thing('', { spec: {} })))).details?.causes).toEqual([
      {
        reason: 'FieldValueRequired',
        message: 'Required value: name or generateName is required',
        field: 'metadata.name',
      },
    ]);
  });

  it('calls validating admission with the final object in the version of the request', async () => {
    const { store, storage } = await things({
      strategy: {
        ...strategy,
        prepareForCreate: (object) => void Object.assign(object, { status: { prepared: true } }),
      },
    });
    const seen: JsonObject[] = [];
    const validate = (object: JsonObject): void => {
      seen.push(object);
      throw new StatusError(forbidden({ group: '', resource: 'things' }, 'a', 'no'));
    };
    const create = (context = at('')) => store.create(context, thing('a', { spec: {} }), { ...CREATE, validate });
    expect((await refused(create)).reason).toBe('Forbidden');
    expect((await refused(() => create(at('', 'ns', v2)))).reason).toBe('Forbidden');
    expect(seen).toMatchObject([
      { apiVersion: 'example.test/v1', status: { prepared: true }, metadata: { name: 'a', uid: 'uid-1' } },
      { apiVersion: 'example.test/v2', status: { prepared: true }, spec: { size: 1 } },
    ]);
    expect(await storage.revision()).toBe(1);
  });

  it('converts another version to the stored one and answers in it', async () => {
    const { store } = await things();
    const object = { ...thing('a', { spec: { hue: 'red' } }), apiVersion: 'example.test/v2' };
    const created = await made(store, object, at('', 'ns', v2));
    expect(created.apiVersion).toBe('example.test/v2');
    expect(created.spec).toEqual({ hue: 'red', size: 1 });
    const stored = parse(await store.get(at('a'), { resourceVersion: '' }));
    expect(stored.apiVersion).toBe('example.test/v1');
    expect(stored.spec).toEqual({ color: 'red' });
    expect(stored.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  });

  it('calls the strategy with objects of its version', async () => {
    const seen: unknown[] = [];
    const prepareForCreate = (object: JsonObject): void => void seen.push(object['apiVersion']);
    const object = { ...thing('a'), apiVersion: 'example.test/v2' };
    for (const objectVersion of ['storage', 'request'] as const) {
      const { store } = await things({ strategy: { ...strategy, objectVersion, prepareForCreate } });
      await made(store, object, at('', 'ns', v2));
      expect(parse(await store.get(at('a'), { resourceVersion: '' })).apiVersion).toBe('example.test/v1');
    }
    expect(seen).toEqual(['example.test/v1', 'example.test/v2']);
  });

  it('canonicalizes after validation and passes warnings on', async () => {
    const order: string[] = [];
    const { store } = await things({
      strategy: {
        ...strategy,
        validate: () => {
          order.push('validate');
          return [];
        },
        canonicalize: (object) => {
          order.push('canonicalize');
          object['spec'] = { color: 'blue' };
        },
        warningsOnCreate: () => ['spec: mind the gap'],
      },
    });
    const context = at('');
    expect((await made(store, thing('a'), context)).spec).toEqual({ color: 'blue' });
    expect(order).toEqual(['validate', 'canonicalize']);
    expect(context.request.warnings).toEqual(['spec: mind the gap']);
  });

  it('stores nothing in a dry run and answers without a resourceVersion', async () => {
    const { store, storage } = await things();
    const request = { ...CREATE, dryRun: true };
    const shown = parse((await store.create(at(''), thing('a'), request)).bytes);
    expect(shown.metadata).toEqual({
      name: 'a',
      namespace: 'ns',
      uid: 'uid-1',
      generation: 1,
      creationTimestamp: '2030-01-01T00:00:00Z',
    });
    expect(await storage.revision()).toBe(1);
    await made(store, thing('a'));
    expect((await refused(() => store.create(at(''), thing('a'), request))).reason).toBe('AlreadyExists');
  });

  it('expires after the time to live of the strategy', async () => {
    const { store, clock } = await things({ strategy: { ...strategy, ttlSeconds: () => 60 } });
    await made(store, thing('a'));
    await clock.advance(59_000);
    await store.get(at('a'), { resourceVersion: '' });
    await clock.advance(5_000);
    expect((await refused(() => store.get(at('a'), { resourceVersion: '' }))).code).toBe(404);
  });

  it('answers 422 to a name that is too long for a key and 413 to an object that is too large', async () => {
    const { store } = await things({ strategy: { ...strategy, nameRule: nameIsPathSegment } });
    expect(await complaint(() => made(store, thing('x'.repeat(1500))))).toEqual([
      422,
      'Invalid',
      expect.stringContaining('metadata.name: Too long: may not be more than 1468 bytes'),
    ]);
    const status = await refused(() => made(store, thing('a', { spec: { color: 'x'.repeat(1_500_000) } })));
    expect(status.code).toBe(413);
    expect(status.message).toContain('1500000');
  });
});

describe('a generated name', () => {
  it('is the prefix and five characters', async () => {
    const { store } = await things();
    const { metadata } = await made(store, { ...thing(''), metadata: { generateName: 'gen-' } });
    expect(metadata.name).toMatch(/^gen-[a-z0-9]{5}$/);
    expect(metadata).toMatchObject({ generateName: 'gen-' });
  });

  it('is replaced by another one when it is taken, up to eight times', async () => {
    let drawn = 0;
    const taken = await things({}, { random: () => (drawn++ < 25 ? 0 : 1) });
    const generate = () => made(taken.store, { ...thing(''), metadata: { generateName: 'g-' } });
    expect((await generate()).metadata.name).toBe('g-bbbbb');
    drawn = 0;
    expect((await generate()).metadata.name).toBe('g-ccccc');
    drawn = 0;
    const status = await refused(generate);
    expect([status.code, status.reason, status.details?.retryAfterSeconds]).toEqual([409, 'AlreadyExists', 1]);
    expect(status.message).toBe(
      'things.example.test "g-ccccc" already exists, the server was not able to generate a unique name for the object',
    );
    expect(drawn).toBe(40);
  });

  it('is replaced without preparing the object twice', async () => {
    let drawn = 0;
    const prepareForCreate = (object: JsonObject): void => {
      const spec = object['spec'] as JsonObject;
      spec['color'] = `${String(spec['color'])}+`;
    };
    const prepared = await things(
      { strategy: { ...strategy, prepareForCreate } },
      { random: () => (drawn++ < 15 ? 0 : 1) },
    );
    const generate = () =>
      made(prepared.store, { ...thing('', { spec: { color: 'red' } }), metadata: { generateName: 'g-' } });
    expect((await generate()).metadata.name).toBe('g-bbbbb');
    drawn = 5;
    const second = await generate();
    expect([second.metadata.name, second.spec]).toEqual(['g-ccccc', { color: 'red+' }]);
  });
});
