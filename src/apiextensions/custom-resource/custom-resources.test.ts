import { describe, expect, it } from 'vitest';
import { StatusError } from '../../apimachinery/status/status.ts';
import { unknown } from '../../apimachinery/status/status-catalogue.ts';
import { Deferred } from '../../base/deferred.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { settle } from '../../base/virtual-clock.ts';
import type { Admission } from '../../server/admission.ts';
import { CRDS, GADGETS, gadget, gadgets, redefine, startTestExtensions } from '../apiextensions.fixtures.ts';
import { converterFactory } from '../conversion/choose-converter.ts';
import type { ConverterFactory } from '../conversion/custom-converter.ts';
import { FIELD_RULES_ANNOTATION } from '../conversion/fields/field-rules.ts';

const NAME = `${CRDS}/gadgets.example.test`;
const GADGETS_V2 = GADGETS.replace('/v1/', '/v2/');

/** A converter that changes only the apiVersion. After `hold()` the next conversion waits for `release()`. */
function slowConverter(): { readonly converter: ConverterFactory; hold(): void; release(): void } {
  const gate = new Deferred<void>();
  let isHeld = false;
  return {
    hold: () => {
      isHeld = true;
    },
    release: () => gate.resolve(),
    converter: () => ({
      convert: async (objects, _from, to) => {
        const waits = isHeld;
        isHeld = false;
        if (waits) await gate.promise;
        return objects.map((object) => ({ ...object, apiVersion: `example.test/${to}` }));
      },
    }),
  };
}

function storing(stored: string, more: JsonObject = {}): JsonObject {
  return gadgets(['v1', 'v2'].map((name) => ({ name, storage: name === stored, more })));
}

describe('definitions that change while objects are written', () => {
  it('trust no stored bytes until every earlier handler has ended', async () => {
    const { converter, hold, release } = slowConverter();
    const { define, request } = await startTestExtensions({ converter });
    await define(storing('v2'));
    hold();
    const creating = request('POST', GADGETS, gadget('slow'));
    await settle();
    await redefine({ request }, storing('v1'));
    await redefine({ request }, storing('v1', { deprecated: true }));
    await request('GET', GADGETS);
    release();
    expect((await creating).status).toBe(201);
    expect((await request('GET', `${GADGETS}/slow`)).body['apiVersion']).toBe('example.test/v1');
    expect((await request('GET', GADGETS)).body['items']).toMatchObject([{ apiVersion: 'example.test/v1' }]);
  });

  it('end watches at once, so that no watcher gets events that the next handler writes', async () => {
    const { converter, hold, release } = slowConverter();
    const { define, request, watch } = await startTestExtensions({ converter });
    await define(storing('v1'));
    await request('POST', GADGETS, gadget('a'));
    const watched = await watch(`${GADGETS}?watch=true`);
    hold();
    const creating = request('POST', GADGETS_V2, gadget('slow', {}, 'v2'));
    await settle();
    await redefine({ request }, storing('v2'));
    expect(watched.ended).toBe(true);
    await request('POST', GADGETS_V2, gadget('b', {}, 'v2'));
    await settle();
    expect(watched.short).toEqual(['ADDED a']);
    release();
    expect((await creating).status).toBe(201);
  });

  it('let a running request read objects that the next handler has written', async () => {
    const gate = new Deferred<void>();
    let isHeld = true;
    const admission: Admission = {
      handles: (operation) => operation === 'UPDATE',
      admit: () => undefined,
      validate: ({ resource }) => {
        if (resource.resource !== 'gadgets' || !isHeld) return undefined;
        isHeld = false;
        return gate.promise;
      },
    };
    const { define, request } = await startTestExtensions({ admission });
    await define(storing('v1'));
    await request('POST', GADGETS, gadget('a', { spec: { size: 1 } }));
    const patching = request('PATCH', `${GADGETS}/a`, { spec: { color: 'red' } });
    await settle();
    await redefine({ request }, storing('v2'));
    expect((await request('PATCH', `${GADGETS}/a`, { spec: { size: 2 } })).status).toBe(200);
    gate.resolve();
    expect((await patching).body).toMatchObject({ apiVersion: 'example.test/v1', spec: { color: 'red', size: 2 } });
    expect((await request('GET', `${GADGETS_V2}/a`)).body).toMatchObject({
      apiVersion: 'example.test/v2',
      spec: { color: 'red', size: 2 },
    });
  });

  it('let objects be deleted in their stored version even if they cannot be converted', async () => {
    const { define, request } = await startTestExtensions({
      converter: () => ({ convert: () => Promise.reject(new StatusError(unknown('the converter is out of order'))) }),
    });
    await define(storing('v1'));
    for (const name of ['a', 'b', 'c']) await request('POST', GADGETS, gadget(name));
    await redefine({ request }, storing('v2'));
    expect((await request('DELETE', `${GADGETS_V2}/a`)).status).toBe(500);
    expect((await request('DELETE', `${GADGETS}/a?dryRun=All`)).status).toBe(200);
    expect((await request('DELETE', `${GADGETS}/a`)).status).toBe(200);
    expect((await request('GET', `${GADGETS}/a`)).status).toBe(404);
    expect((await request('DELETE', GADGETS)).status).toBe(200);
    expect((await request('GET', GADGETS)).body['items']).toEqual([]);
  });

  it('use new field rules as soon as they are written', async () => {
    const converter = converterFactory({ client: {} as never, services: {} as never, newUid: () => '' });
    const { request } = await startTestExtensions({ converter });
    const spec = (...names: readonly string[]): JsonObject => ({
      spec: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) },
    });
    const rules = (to: string): JsonObject => ({
      [FIELD_RULES_ANNOTATION]: JSON.stringify([
        { from: 'v1', to: 'v2', fields: [{ move: '.spec.a', to }] },
        { from: 'v2', to: 'v1', fields: [{ move: to, to: '.spec.a' }], lossy: ['.spec.a', '.spec.b', '.spec.c'] },
      ]),
    });
    const definition = gadgets([
      { name: 'v1', properties: spec('a') },
      { name: 'v2', properties: spec('a', 'b', 'c'), storage: false },
    ]);
    const metadata = { name: 'gadgets.example.test', annotations: rules('.spec.b') };
    expect((await request('POST', CRDS, { ...definition, metadata })).body).toMatchObject({
      metadata: { uid: 'uid-1' },
    });
    await settle();
    await request('POST', GADGETS, gadget('a', { spec: { a: 'x' } }));
    expect((await request('GET', `${GADGETS_V2}/a`)).body['spec']).toEqual({ b: 'x' });
    await request('PATCH', NAME, { metadata: { annotations: rules('.spec.c') } });
    await settle();
    expect((await request('GET', `${GADGETS_V2}/a`)).body['spec']).toEqual({ c: 'x' });
  });

  it('keep watches open if only the status or the labels change', async () => {
    const { define, request, watch } = await startTestExtensions();
    await define(gadgets());
    const watched = await watch(`${GADGETS}?watch=true`);
    const { body } = await request('GET', NAME);
    const status = body['status'] as JsonObject;
    const conditions = [...(status['conditions'] as JsonObject[]), { type: 'Other', status: 'True' }];
    expect((await request('PUT', `${NAME}/status`, { ...body, status: { ...status, conditions } })).status).toBe(200);
    expect((await request('PATCH', NAME, { metadata: { labels: { a: 'b' } } })).status).toBe(200);
    await request('POST', GADGETS, gadget('a'));
    await settle();
    expect([watched.ended, watched.short]).toEqual([false, ['ADDED a']]);
  });
});
