import { describe, expect, it, onTestFinished } from 'vitest';
import { invalid } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { createMemoryStorage } from '../../storage/memory/memory-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import {
  at,
  deafening,
  parse,
  refused,
  strategy,
  testHost,
  thing,
  thingDefinition,
  v1,
} from '../registry/thing.fixtures.ts';
import { openResource, type StoredResource } from '../resource/open-resource.ts';
import type { Strategy } from '../resource/strategy.ts';
import { updateSubresource } from '../resource/update-subresource.ts';
import { OwnWriter, type OwnWriterOptions } from './own-writer.ts';

const A = { namespace: 'ns', name: 'a' };

function opened(changes: Partial<Strategy> = {}, storage?: Storage): StoredResource {
  const definition = thingDefinition({
    strategy: { ...strategy, ...changes },
    subresources: [
      updateSubresource('status', {
        ...strategy,
        prepareForUpdate: (object, old) => {
          object['spec'] = old['spec'] ?? {};
        },
      }),
    ],
  });
  const resource = openResource(definition, testHost(storage).host);
  onTestFinished(() => resource.stop());
  return resource;
}

function writer(changes: Partial<Strategy> = {}, options: OwnWriterOptions = {}): OwnWriter {
  return new OwnWriter(opened(changes), options);
}

function named(more: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return thing('a', more, { namespace: 'ns', ...metadata });
}

function paint(color: string): (object: JsonObject) => void {
  return (object) => {
    object['spec'] = { color };
  };
}

describe('the writer of own objects', () => {
  it('creates as a client does: system fields, strategy and validation, on a copy', async () => {
    const issue = invalid(FieldPath.of('spec', 'color'), 'red', 'not red');
    const things = writer({
      prepareForCreate: (object) => {
        object['status'] = { ready: false };
      },
      validate: (object) => ((object['spec'] as JsonObject)['color'] === 'red' ? [issue] : []),
    });
    const given = named({ spec: { color: 'blue' } });
    const made = parse(await things.create(given));
    expect(made).toMatchObject({ metadata: { name: 'a', uid: 'uid-1', generation: 1 }, status: { ready: false } });
    expect(given).toEqual(named({ spec: { color: 'blue' } }));
    expect((await refused(() => things.create(given))).reason).toBe('AlreadyExists');
    expect((await refused(() => things.create(named({ spec: { color: 'red' } }, { name: 'b' })))).code).toBe(422);
  });

  it('writes as system:apiserver at the current time, unless the write belongs to a request', async () => {
    const seen: unknown[] = [];
    const resource = opened({
      prepareForCreate: (_object, { request }) => void seen.push([request.user.name, request.verb, request.receivedAt]),
    });
    const things = new OwnWriter(resource);
    await things.create(named());
    const user = { name: 'ann', uid: '', groups: [], extra: {} };
    const { request } = at('', 'ns', v1, { user, verb: 'create', receivedAt: 5 });
    await things.create(named({}, { name: 'b' }), { request });
    expect(seen).toEqual([
      ['system:apiserver', 'create', resource.host.clock.now()],
      ['ann', 'create', 5],
    ]);
  });

  it('replaces only the state that the object was made from', async () => {
    const things = writer();
    const first = parse(await things.create(named({ spec: { color: 'blue' } })));
    const { resourceVersion } = first.metadata;
    const second = parse(await things.replace(named({ spec: { color: 'red' } }, { resourceVersion })));
    expect([second.spec, second.metadata.uid]).toEqual([{ color: 'red' }, first.metadata.uid]);
    expect((await refused(() => things.replace(named({}, { resourceVersion })))).reason).toBe('Conflict');
    expect((await refused(() => things.replace(named({}, { name: 'b' })))).code).toBe(404);
  });

  it('applies an update to the newest state, again if another write came first', async () => {
    const things = writer();
    await things.create(named());
    const counts = Array.from({ length: 10 }, () =>
      things.update(A, (object) => {
        const { n = 0 } = (object['spec'] ?? {}) as { n?: number };
        object['spec'] = { n: n + 1 };
      }),
    );
    await Promise.all(counts);
    expect((await things.read(A))?.['spec']).toEqual({ n: 10 });
  });

  it('refuses a write whose preconditions do not hold', async () => {
    const things = writer();
    const { uid, resourceVersion } = parse(await things.create(named())).metadata;
    await things.update(A, paint('blue'), { preconditions: { uid, resourceVersion } });
    const late = things.update(A, paint('red'), { preconditions: { uid, resourceVersion } });
    expect((await refused(() => late)).reason).toBe('Conflict');
  });

  it('never creates with an update, whatever the strategy says', async () => {
    const things = writer({ allowCreateOnUpdate: true });
    expect((await refused(() => things.update(A, paint('red')))).code).toBe(404);
    expect((await refused(() => things.replace(named()))).code).toBe(404);
  });

  it('updates a status under the strategy of the subresource', async () => {
    const things = writer();
    await things.create(named({ spec: { color: 'blue' } }));
    const bytes = await things.updateStatus(A, (object) => {
      object['spec'] = { color: 'red' };
      object['status'] = { ready: true };
    });
    expect(parse(bytes)).toMatchObject({ spec: { color: 'blue' }, status: { ready: true } });
  });

  it('stores the given status with setsStatus', async () => {
    const own: Partial<Strategy> = {
      prepareForCreate: (object) => {
        object['status'] = {};
      },
      prepareForUpdate: (object, old) => {
        object['status'] = old['status'] ?? {};
      },
    };
    const things = writer(own, { setsStatus: true });
    expect(parse(await things.create(named({ status: { phase: 'New' } }))).status).toEqual({ phase: 'New' });
    expect(parse(await things.replace(named({ status: { phase: 'Old' } }))).status).toEqual({ phase: 'Old' });
    expect(parse(await things.replace(named())).status).toEqual({ phase: 'Old' });
  });

  it('stores nothing in a dry run', async () => {
    const things = writer();
    await things.create(named({}, { name: 'b' }), { dryRun: true });
    await things.create(named());
    await things.update(A, paint('red'), { dryRun: true });
    expect(await things.read({ namespace: 'ns', name: 'b' })).toBeUndefined();
    expect((await things.read(A))?.['spec']).toBeUndefined();
  });

  it('deletes, or marks what finalizers hold', async () => {
    const things = writer();
    await things.create(named({}, { finalizers: ['example.test/hold'] }));
    expect((await things.delete(A)).outcome).toBe('pending');
    await things.update(A, (object) => {
      delete (object['metadata'] as JsonObject)['finalizers'];
    });
    expect(await things.read(A)).toBeUndefined();
    expect((await refused(() => things.delete(A))).code).toBe(404);
  });

  it('deletes an object with the given uid if there is one', async () => {
    const things = writer();
    const { uid } = parse(await things.create(named())).metadata;
    await things.deleteIfPresent(A, 'another');
    expect(await things.read(A)).toBeDefined();
    await things.deleteIfPresent(A, uid);
    await things.deleteIfPresent(A, uid);
    expect(await things.read(A)).toBeUndefined();
  });

  it('deletes all objects of the resource', async () => {
    const things = writer();
    for (const name of ['a', 'b', 'c']) await things.create(named({}, { name }));
    await things.deleteAll();
    expect(await things.read(A)).toBeUndefined();
  });

  it('does not start the cache', async () => {
    let watches = 0;
    const { storage } = deafening(createMemoryStorage({ clock: testHost().clock }));
    const counted = new Proxy(storage, {
      get(target, name) {
        if (name === 'watch') watches++;
        return Reflect.get(target, name) as unknown;
      },
    });
    const things = new OwnWriter(opened({}, counted));
    await things.create(named());
    await things.replace(named({ spec: { color: 'red' } }));
    await things.update(A, paint('blue'));
    await things.delete(A);
    expect(watches).toBe(0);
  });
});
