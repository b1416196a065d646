import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fieldAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { createMemoryStorage } from '../../../storage/memory/memory-storage.ts';
import { defineResource } from '../define-resource.ts';
import { events, serve } from './kit.fixtures.ts';

const NAMES = { group: 'example.com', kind: 'Thing' } as const;
const path = (version: string): string => `/apis/example.com/${version}/namespaces/default/things`;
const MERGE = { 'content-type': 'application/merge-patch+json' };

const Before = defineResource({ ...NAMES, version: 'v1', spec: z.object({ size: z.int() }) });
const Later = defineResource({
  ...NAMES,
  version: 'v1',
  spec: z.object({ size: z.int(), color: z.string().default('red') }),
});
const Renamed = defineResource({
  ...NAMES,
  version: 'v2',
  spec: z.object({ length: z.int() }),
  versions: [
    {
      version: 'v1',
      spec: z.object({ size: z.int() }),
      toHub: (thing) => moved(thing, 'size', 'length'),
      fromHub: (thing) => moved(thing, 'length', 'size'),
    },
  ],
});

function moved(thing: JsonObject, from: string, to: string): JsonObject {
  const { [from]: value, ...rest } = (thing['spec'] ?? {}) as JsonObject;
  return { ...thing, spec: value === undefined ? rest : { ...rest, [to]: value } };
}

/** A storage with the object `x` that an earlier program has written. */
async function stored(): Promise<ReturnType<typeof createMemoryStorage>> {
  const storage = createMemoryStorage();
  const { send, stop } = await serve([Before], { storage });
  const body = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'x' }, spec: { size: 3 } };
  expect((await send('POST', path('v1'), body)).status).toBe(201);
  await stop();
  return storage;
}

describe('objects that an earlier program has stored', () => {
  it('get the defaults of the present schema', async () => {
    const server = await serve([Later], { storage: await stored() });
    const { send } = server;
    const expected = { size: 3, color: 'red' };
    expect((await send('GET', `${path('v1')}/x`)).body['spec']).toEqual(expected);
    expect(objectsAt((await send('GET', path('v1'))).body, 'items').map((item) => item['spec'])).toEqual([expected]);
    const [event] = await events(server, `${path('v1')}?watch=true`, 1);
    expect(fieldAt(event as JsonObject, 'object', 'spec')).toEqual(expected);
    expect((await send('PATCH', `${path('v1')}/x`, { spec: { size: 4 } }, MERGE)).body['spec']).toEqual({
      ...expected,
      size: 4,
    });
    await server.stop();
  });

  it('are converted if another version is the hub now', async () => {
    const { send, stop } = await serve([Renamed], { storage: await stored() });
    expect((await send('GET', `${path('v2')}/x`)).body).toMatchObject({
      apiVersion: 'example.com/v2',
      spec: { length: 3 },
    });
    expect((await send('GET', `${path('v1')}/x`)).body).toMatchObject({
      apiVersion: 'example.com/v1',
      spec: { size: 3 },
    });
    const patched = await send('PATCH', `${path('v2')}/x`, { spec: { length: 5 } }, MERGE);
    expect(patched.body['spec']).toEqual({ length: 5 });
    expect((await send('GET', `${path('v1')}/x`)).body['spec']).toEqual({ size: 5 });
    expect(textAt((await send('DELETE', `${path('v1')}/x`)).body, 'status')).toBe('Success');
    await stop();
  });
});
