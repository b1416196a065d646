/** Definitions with field rules, through the whole server. */
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { settle } from '../../base/virtual-clock.ts';
import {
  CRDS,
  GADGETS,
  gadget,
  gadgets,
  redefine,
  startTestExtensions,
  type TestExtensions,
} from '../apiextensions.fixtures.ts';
import { converterFactory } from '../conversion/choose-converter.ts';
import { FIELD_RULES_ANNOTATION } from '../conversion/fields/field-rules.ts';

const V2 = GADGETS.replace('/v1/', '/v2/');
const NAME = `${CRDS}/gadgets.example.test`;
const METADATA = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
const METADATA_LIST = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };
const INTEGER: JsonObject = { type: 'integer' };

/** A definition that stores v1. Every object has a spec. */
function defined(v1: JsonObject, v2: JsonObject, rules?: JsonValue): JsonObject {
  const version = (name: string, spec: JsonObject) => ({
    name,
    storage: name === 'v1',
    more: { schema: { openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec } } } },
  });
  const definition = gadgets([version('v1', v1), version('v2', v2)]);
  return {
    ...definition,
    metadata: {
      name: 'gadgets.example.test',
      ...(rules === undefined ? {} : { annotations: { [FIELD_RULES_ANNOTATION]: JSON.stringify(rules) } }),
    },
  };
}

function spec(properties: JsonObject, ...required: string[]): JsonObject {
  return required.length === 0 ? { type: 'object', properties } : { type: 'object', properties, required };
}

function start(): Promise<TestExtensions> {
  return startTestExtensions({
    converter: converterFactory({ client: {} as never, services: {} as never, newUid: () => '' }),
  });
}

describe('an object that field rules convert for storage', () => {
  const RULES = [{ from: 'v1', to: 'v2', fields: [{ move: '.spec.size', to: '.spec.count' }] }];
  const sized = (maximum: number): JsonObject =>
    defined(spec({ size: { type: 'integer', maximum } }), spec({ count: INTEGER, note: { type: 'string' } }), [
      ...RULES,
      { from: 'v2', to: 'v1', lossy: ['.spec.note'] },
    ]);

  it('is refused if it is not valid in the storage version', async () => {
    const { define, request } = await start();
    await define(sized(10));
    const refused = await request('POST', V2, gadget('a', { spec: { count: 50 } }, 'v2'));
    expect([refused.status, refused.body['reason']]).toEqual([422, 'Invalid']);
    expect(refused.body['message']).toBe(
      'Gadget.example.test "a" is invalid: spec.size: Invalid value: 50: spec.size in body should be less than or equal to 10; this is the value in v1, the stored version, after conversion from v2 by {move: .spec.count, to: .spec.size} of the annotation keelson.dev/conversion',
    );
    expect((await request('GET', `${GADGETS}/a`)).status).toBe(404);
    expect((await request('POST', `${V2}?dryRun=All`, gadget('a', { spec: { count: 50 } }, 'v2'))).status).toBe(422);
    expect((await request('POST', V2, gadget('a', { spec: { count: 5 } }, 'v2'))).status).toBe(201);
    expect((await request('PATCH', `${V2}/a`, { spec: { count: 50 } })).status).toBe(422);
    expect((await request('GET', `${GADGETS}/a`)).body['spec']).toEqual({ size: 5 });
  });

  it('may keep a value that the stored object has', async () => {
    const { define, request } = await start();
    await define(sized(100));
    await request('POST', V2, gadget('a', { spec: { count: 50 } }, 'v2'));
    expect((await redefine({ request }, sized(10))).status).toBe(200);
    expect((await request('PATCH', `${V2}/a`, { metadata: { labels: { a: 'b' } } })).status).toBe(200);
    expect((await request('PATCH', `${V2}/a`, { spec: { count: 60 } })).status).toBe(422);
    expect((await request('PATCH', `${V2}/a`, { spec: { count: 6 } })).status).toBe(200);
  });

  it('is refused if a rule made an invalid label', async () => {
    const { define, request } = await start();
    const owner: JsonObject = { owner: { type: 'string' } };
    await define(
      defined(spec({}), spec(owner), [
        { from: 'v2', to: 'v1', fields: [{ move: '.spec.owner', to: '.metadata.labels.owner' }] },
      ]),
    );
    const refused = await request('POST', V2, gadget('a', { spec: { owner: 'a b' } }, 'v2'));
    expect(refused.status).toBe(422);
    expect(refused.body['message']).toMatch(
      /^Gadget.example.test "a" is invalid: metadata.labels: Invalid value: "a b"/,
    );
    expect((await request('POST', V2, gadget('a', { spec: { owner: 'me' } }, 'v2'))).status).toBe(201);
    expect((await request('GET', `${GADGETS}/a`)).body).toMatchObject({ metadata: { labels: { owner: 'me' } } });
    const list = await request('GET', V2, undefined, METADATA_LIST);
    expect(list.body['items']).toMatchObject([{ metadata: { name: 'a' } }]);
    expect((list.body['items'] as JsonObject[])[0]?.['metadata']).not.toHaveProperty('labels');
  });
});

/** v2 has the quotient of two fields of v1, so that an object with the divisor 0 cannot be converted. */
describe('an object that cannot be converted', () => {
  const V1_SPEC = spec({ total: INTEGER, parts: INTEGER }, 'total', 'parts');
  const V2_SPEC = spec({ total: INTEGER, parts: INTEGER, each: INTEGER }, 'total', 'parts');
  const RULES = [
    { from: 'v1', to: 'v2', fields: [{ set: '.spec.each', expression: 'self.spec.total / self.spec.parts' }] },
    { from: 'v2', to: 'v1', lossy: ['.spec.each'] },
  ];
  const FAILURE =
    'example.test/v1, Kind=Gadget "ns/bad" cannot be converted to v2: {set: .spec.each, expression: "self.spec.total / self.spec.parts"}: division by zero';

  function parts(name: string, parts: number, labels: JsonObject = {}): JsonObject {
    return { ...gadget(name, { spec: { total: 6, parts } }), metadata: { name, labels } };
  }

  /** `bad` was stored before the rules were written. */
  async function withBad(): Promise<TestExtensions> {
    const server = await start();
    const { define, request } = server;
    await define(defined(V1_SPEC, V2_SPEC));
    await request('POST', GADGETS, parts('bad', 0, { app: 'bad' }));
    await request('POST', GADGETS, parts('good', 2, { app: 'good' }));
    const annotations = { [FIELD_RULES_ANNOTATION]: JSON.stringify(RULES) };
    expect((await request('PATCH', NAME, { metadata: { annotations } })).status).toBe(200);
    await settle();
    return server;
  }

  it('is refused, in both versions', async () => {
    const { define, request } = await start();
    await define(defined(V1_SPEC, V2_SPEC, RULES));
    for (const [path, version] of [
      [GADGETS, 'v1'],
      [V2, 'v2'],
    ] as const) {
      const refused = await request('POST', path, { ...parts('bad', 0), apiVersion: `example.test/${version}` });
      expect([refused.status, refused.body['message']]).toEqual([
        422,
        'Gadget.example.test "bad" is invalid: spec.each: Forbidden: cannot be converted to v2: {set: .spec.each, expression: "self.spec.total / self.spec.parts"}: division by zero',
      ]);
    }
    expect((await request('POST', GADGETS, parts('good', 2))).status).toBe(201);
    expect((await request('PATCH', `${GADGETS}/good`, { spec: { parts: 0 } })).status).toBe(422);
    expect((await request('GET', `${V2}/good`)).body['spec']).toEqual({ total: 6, parts: 2, each: 3 });
  });

  it('is named by requests that show it, and other requests succeed', async () => {
    const { request } = await withBad();
    expect((await request('GET', V2)).body).toMatchObject({
      code: 500,
      message: FAILURE,
      details: { group: 'example.test', kind: 'Gadget', name: 'bad', causes: [{ field: 'spec.each' }] },
    });
    expect((await request('GET', `${V2}/bad`)).body['message']).toBe(FAILURE);
    expect((await request('GET', `${V2}/good`)).status).toBe(200);
    expect((await request('GET', `${V2}?labelSelector=app%3Dgood`)).body['items']).toHaveLength(1);
    expect((await request('GET', `${V2}?labelSelector=app%3Dbad`)).body['message']).toBe(FAILURE);
    expect((await request('GET', `${V2}?fieldSelector=metadata.name%3Dgood`)).body['items']).toHaveLength(1);
    expect((await request('GET', GADGETS)).body['items']).toHaveLength(2);
  });

  it('needs no conversion where only metadata is shown', async () => {
    const { request, watch } = await withBad();
    const list = await request('GET', V2, undefined, METADATA_LIST);
    expect(list.body).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ metadata: { name: 'bad' } }, { metadata: { name: 'good' } }],
    });
    const one = await request('GET', `${V2}/bad`, undefined, METADATA);
    expect(one.body).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { labels: { app: 'bad' } } });
    const watched = await watch(`${V2}?watch=true`, METADATA);
    await request('PATCH', `${GADGETS}/bad`, { metadata: { labels: { a: 'b' } } });
    await settle();
    expect([watched.short, watched.ended]).toEqual([['ADDED bad', 'ADDED good', 'MODIFIED bad'], false]);
  });

  it('does not end watches that have not shown it', async () => {
    const { request, watch } = await withBad();
    const { resourceVersion } = (await request('GET', GADGETS)).body['metadata'] as JsonObject;
    const all = await watch(`${V2}?watch=true&resourceVersion=${String(resourceVersion)}`);
    const good = await watch(`${V2}?watch=true&labelSelector=app%3Dgood`);
    await request('PATCH', `${GADGETS}/bad`, { metadata: { labels: { a: 'b' } } });
    await request('PATCH', `${GADGETS}/good`, { spec: { total: 8 } });
    await settle();
    await request('PATCH', `${GADGETS}/bad`, { spec: { parts: 3 } });
    await request('PATCH', `${GADGETS}/bad`, { spec: { total: 9 } });
    await request('DELETE', `${GADGETS}/bad`);
    await settle();
    expect([all.short, all.ended]).toEqual([['MODIFIED good', 'MODIFIED bad', 'MODIFIED bad', 'DELETED bad'], false]);
    expect(all.events[1]?.object['spec']).toEqual({ total: 6, parts: 3, each: 2 });
    expect([good.short, good.ended]).toEqual([['ADDED good', 'MODIFIED good'], false]);
  });

  it('is not shown by a watch when it is deleted, and is named by a watch that begins with the state', async () => {
    const { request, watch } = await withBad();
    const { resourceVersion } = (await request('GET', GADGETS)).body['metadata'] as JsonObject;
    const state = await watch(`${V2}?watch=true`);
    expect(state.events).toMatchObject([{ type: 'ERROR', object: { message: FAILURE } }]);
    const later = await watch(`${V2}?watch=true&resourceVersion=${String(resourceVersion)}`);
    await request('DELETE', `${GADGETS}/bad`);
    await request('DELETE', `${GADGETS}/good`);
    await settle();
    expect([later.short, later.ended]).toEqual([['DELETED good'], false]);
    expect((await request('GET', V2)).body['items']).toEqual([]);
  });

  it('may be changed as long as it cannot be converted, and is stored again once it can', async () => {
    const { request } = await withBad();
    expect((await request('PATCH', `${GADGETS}/bad`, { spec: { total: 7 } })).status).toBe(200);
    expect((await request('PATCH', `${GADGETS}/bad`, { spec: { parts: 7 } })).status).toBe(200);
    expect((await request('PATCH', `${GADGETS}/bad`, { spec: { parts: 0 } })).status).toBe(422);
    expect((await request('GET', V2)).body['items']).toHaveLength(2);
  });
});
