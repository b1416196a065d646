/** Tests of the guarantees that endpoints give to stores which do not normalize and check objects themselves. */
import { afterEach, describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { NO_ADMISSION } from '../admission.ts';
import type { ResourceStore } from '../resource/resource-store.ts';
import {
  createTestServer,
  GADGETS,
  gadgets,
  gadgetV1,
  type TestServer,
  type TestServerOptions,
} from './endpoints.fixtures.ts';

const MERGE = { 'content-type': 'application/merge-patch+json' };

function bytesOf(object: JsonObject): Uint8Array {
  return encodeUtf8(JSON.stringify(object));
}

describe('a store of its own', () => {
  let server: TestServer | undefined;

  afterEach(async () => {
    await server?.stop();
  });

  async function serve(store: ResourceStore, options: TestServerOptions = {}): Promise<TestServer> {
    const definition = gadgets({
      versions: [gadgetV1],
      storageVersion: undefined,
      subresources: [],
      store: () => store,
    });
    server = await createTestServer({ ...options, resources: [definition] });
    return server;
  }

  it('gets objects without system fields, in the namespace of the path', async () => {
    const { ask } = await serve({ create: (_context, object) => ({ bytes: bytesOf(object), created: true }) });
    const system = {
      uid: 'u',
      creationTimestamp: '2000-01-01T00:00:00Z',
      deletionTimestamp: '2000-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 1,
    };
    const { body } = await ask('POST', GADGETS, { metadata: { name: 'a', ...system } });
    expect(body['metadata']).toEqual({ name: 'a', namespace: 'ns', managedFields: expect.anything() });
  });

  it('may try an update several times, each time with a fresh copy of the body', async () => {
    const tries: JsonObject[] = [];
    const { ask } = await serve({
      update: async (_context, change) => {
        for (let i = 0; i < 2; i++) {
          const object = await change.apply({ metadata: { name: 'a', uid: 'u' } });
          tries.push({ ...object });
          object['color'] = 'changed by the store';
        }
        return { bytes: bytesOf({}), created: false };
      },
    });
    await ask('PUT', `${GADGETS}/a`, { metadata: { name: 'a' }, color: 'red' });
    expect(tries.map(({ color }) => color)).toEqual(['red', 'red']);
  });

  it('authorizes the create of an update once, however often the store validates', async () => {
    let asked = 0;
    const authorizer = {
      authorize: () => {
        asked++;
        return { decision: 'allow' as const, reason: '', error: '' };
      },
    };
    const store: ResourceStore = {
      update: async (_context, change, request) => {
        const object = await change.apply(undefined);
        await request.validateCreate(object);
        await request.validateCreate(object);
        return { bytes: bytesOf(object), created: true };
      },
    };
    const { ask } = await serve(store, { authorizer });
    expect((await ask('PUT', `${GADGETS}/a`, { metadata: { name: 'a' } })).status).toBe(201);
    expect(asked).toBe(1);
  });

  it('passes the unpatched object to admission, unchanged', async () => {
    const seen: unknown[] = [];
    const admission = {
      ...NO_ADMISSION,
      handles: () => true,
      admit: ({ object, oldObject }: { object: JsonObject | undefined; oldObject: JsonObject | undefined }) => {
        seen.push([oldObject?.['color'], object?.['color']]);
      },
    };
    const store: ResourceStore = {
      get: () => bytesOf({}),
      update: async (_context, change) => {
        const current = {
          kind: 'Gadget',
          apiVersion: 'toys.test/v1',
          metadata: { name: 'a', namespace: 'ns', uid: 'u' },
          color: 'red',
        };
        return { bytes: bytesOf(await change.apply(current)), created: false };
      },
    };
    const { ask } = await serve(store, { admission });
    expect((await ask('PATCH', `${GADGETS}/a`, '{"color":"blue"}', MERGE)).body['color']).toBe('blue');
    expect(seen).toEqual([['red', 'blue']]);
  });

  it('may return promises', async () => {
    const object = { kind: 'Gadget', apiVersion: 'toys.test/v1', metadata: { name: 'a' } };
    const { ask } = await serve({
      get: async () => bytesOf(object),
      list: async () => ({ resourceVersion: '7', continueToken: '', remaining: undefined, items: [bytesOf(object)] }),
    });
    expect((await ask('GET', `${GADGETS}/a`)).body).toEqual(object);
    expect((await ask('GET', GADGETS)).text).toBe(
      '{"kind":"GadgetList","apiVersion":"toys.test/v1","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"}}]}\n',
    );
  });

  it('may return items with their fields in any order', async () => {
    const items = [
      bytesOf({ kind: 'Gadget', apiVersion: 'toys.test/v1', metadata: { name: 'a' } }),
      bytesOf({ metadata: { name: 'b' }, kind: 'Gadget', apiVersion: 'toys.test/v1' }),
      bytesOf({ metadata: { name: 'c' }, kind: 'Gadget', apiVersion: 'toys.test/v1' }),
    ];
    const { ask } = await serve({
      list: () => ({ resourceVersion: '7', continueToken: '', remaining: undefined, items }),
    });
    const { body } = await ask('GET', GADGETS);
    expect(body['items']).toMatchObject([
      { metadata: { name: 'a' } },
      { metadata: { name: 'b' } },
      { metadata: { name: 'c' } },
    ]);
  });

  it('records request object, response object and the created name for the audit event', async () => {
    const audit = {
      wantsRequestObject: true,
      wantsResponseObject: true,
      requestObject: undefined as JsonObject | undefined,
      responseObject: undefined as Uint8Array | JsonObject | undefined,
      objectName: '',
      impersonationConstraint: '',
      annotate: () => undefined,
    };
    const made = { metadata: { name: 'chosen' } };
    const { ask } = await serve(
      {
        create: () => {
          expect(audit.requestObject).toMatchObject({ color: 'red' });
          return { bytes: bytesOf(made), created: true };
        },
      },
      { audit },
    );
    await ask('POST', GADGETS, { color: 'red' });
    expect(audit.objectName).toBe('chosen');
    expect(audit.responseObject).toEqual(bytesOf(made));
  });
});
