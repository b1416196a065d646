import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fieldAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { decodeMessage } from '../../../apimachinery/protobuf/decode.ts';
import { encodeObject } from '../../../apimachinery/protobuf/encode.ts';
import { decodeEnvelope } from '../../../apimachinery/protobuf/envelope.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { defineResource } from '../define-resource.ts';
import { type KitServer, serve } from './kit.fixtures.ts';
import { fieldNumber, intOrString, listMap } from './schema-helpers.ts';

const NAMES = { group: 'example.com', version: 'v1', kind: 'Thing' } as const;
const THINGS = '/apis/example.com/v1/namespaces/default/things';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
/** The Accept headers of client-go: typed clients, the metadata client, and kubectl get. */
const TYPED = `${PROTOBUF},application/json`;
const METADATA = [PROTOBUF, 'application/json'].map(
  (type) => `${type};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`,
);
const TABLES = [PROTOBUF, 'application/json'].map((type) => `${type};as=Table;v=v1;g=meta.k8s.io`).join(',');

const Plain = defineResource({ ...NAMES, spec: z.object({ a: z.string() }) });
const Numbered = defineResource({
  ...NAMES,
  protobuf: true,
  spec: z.object({
    a: z.string().meta(fieldNumber(1)),
    count: z.int().optional().meta(fieldNumber(2)),
    on: z.boolean().optional().meta(fieldNumber(3)),
    ratio: z.number().optional().meta(fieldNumber(4)),
    port: z
      .union([z.int(), z.string()])
      .optional()
      .meta({ ...intOrString(), ...fieldNumber(5) }),
    parts: z
      .array(z.object({ name: z.string().meta(fieldNumber(1)) }))
      .default([])
      .meta({ ...listMap('name'), ...fieldNumber(6) }),
    labels: z.record(z.string(), z.string()).optional().meta(fieldNumber(7)),
  }),
  status: z.object({ ready: z.boolean().meta(fieldNumber(1)) }),
});
const VIEW = (): ReturnType<(typeof Numbered.versions)[number]['type']> => Numbered.versions[0]!.type();

const encoded = (object: JsonObject): Uint8Array => {
  const result = encodeObject(VIEW(), object);
  if (!result.ok) throw result.error;
  return result.bytes;
};

const thing = (spec: object): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'x' },
  spec: spec as JsonObject,
});

const get = async ({ send }: KitServer, accept: string, path = `${THINGS}/x`): Promise<string> => {
  const { status, headers } = await send('GET', path, undefined, { accept });
  return `${status} ${String(headers['content-type']).split(';')[0]}`;
};

describe('a resource without field numbers', () => {
  it.each<[string, string, string, string]>([
    ['objects in JSON to clients that accept both', TYPED, `${THINGS}/x`, '200 application/json'],
    ['lists in JSON to clients that accept both', TYPED, THINGS, '200 application/json'],
    ['a 406 to clients that accept only protobuf', PROTOBUF, `${THINGS}/x`, `406 ${PROTOBUF}`],
    ['metadata in protobuf', `${METADATA.join(',')},application/json`, THINGS, `200 ${PROTOBUF}`],
    [
      'metadata of one object in protobuf',
      `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`,
      `${THINGS}/x`,
      `200 ${PROTOBUF}`,
    ],
    ['tables in JSON: the reference has no protobuf form of Table', TABLES, THINGS, '200 application/json'],
    ['statuses in protobuf', TYPED, `${THINGS}/absent`, `404 ${PROTOBUF}`],
  ])('answers with %s', async (_, accept, path, expected) => {
    const server = await serve([Plain]);
    await server.send('POST', THINGS, thing({ a: 'b' }));
    expect(await get(server, accept, path)).toBe(expected);
    await server.stop();
  });

  it('watches in JSON, and refuses watches in protobuf only and bodies in protobuf', async () => {
    const server = await serve([Plain]);
    await server.send('POST', THINGS, thing({ a: 'b' }));
    const watch = async (accept: string): Promise<string> => {
      const abort = new AbortController();
      const answer = await server.transport({
        method: 'GET',
        target: `${THINGS}?watch=true`,
        headers: { accept },
        signal: abort.signal,
      });
      abort.abort();
      return `${answer.status} ${String(answer.headers['content-type'])}`;
    };
    expect(await watch(`${PROTOBUF};stream=watch,application/json`)).toMatch(/^200 application\/json/);
    expect(await watch(PROTOBUF)).toMatch(/^406/);
    const created = await server.send('POST', THINGS, thing({ a: 'b' }), { 'content-type': PROTOBUF });
    expect(created.status).toBe(415);
    await server.stop();
  });

  it('deletes collections that a metadata client has found, as the namespace controller does', async () => {
    const server = await serve([Plain]);
    await server.send('POST', THINGS, thing({ a: 'b' }));
    const deleted = await server.send('DELETE', THINGS, undefined, { accept: TYPED });
    expect(deleted.status).toBe(200);
    expect(objectsAt((await server.send('GET', THINGS)).body, 'items')).toEqual([]);
    await server.stop();
  });
});

describe('a resource with field numbers', () => {
  const spec = {
    a: 'b',
    count: 7,
    on: false,
    ratio: 0.5,
    port: 'http',
    parts: [{ name: 'p' }],
    labels: { k: 'v' },
  };

  it('reads and writes objects in protobuf', async () => {
    const server = await serve([Numbered]);
    const body = encoded(thing(spec));
    const created = await server.transport({
      method: 'POST',
      target: THINGS,
      headers: { 'content-type': PROTOBUF, accept: PROTOBUF },
      body,
    });
    expect(created.status).toBe(201);
    expect((await server.send('GET', `${THINGS}/x`)).body['spec']).toEqual(spec);
    const { bytes } = await server.send('GET', `${THINGS}/x`, undefined, { accept: TYPED });
    const envelope = decodeEnvelope(bytes);
    if (!envelope.ok) throw envelope.error;
    expect(envelope.envelope).toMatchObject({ apiVersion: 'example.com/v1', kind: 'Thing' });
    const decoded = decodeMessage(VIEW(), envelope.envelope.raw);
    if (!decoded.ok) throw decoded.error;
    expect(decoded.value).toMatchObject({ metadata: { name: 'x', namespace: 'default' }, spec });
    await server.stop();
  });

  it.each([`${THINGS}/x`, THINGS])('answers %s in protobuf only', async (path) => {
    const server = await serve([Numbered]);
    await server.send('POST', THINGS, thing({ a: 'b' }));
    expect(await get(server, PROTOBUF, path)).toBe(`200 ${PROTOBUF}`);
    await server.stop();
  });

  it('refuses bodies that the schema refuses, and malformed ones', async () => {
    const server = await serve([Numbered]);
    const post = async (body: Uint8Array): Promise<JsonObject> => {
      const answer = await server.transport({
        method: 'POST',
        target: THINGS,
        headers: { 'content-type': PROTOBUF, accept: 'application/json' },
        body,
      });
      return JSON.parse(Buffer.from(answer.body as Uint8Array).toString()) as JsonObject;
    };
    const wrong = await post(encoded(thing({})));
    expect([fieldAt(wrong, 'code'), textAt(wrong, 'message')]).toEqual([422, expect.stringContaining('spec.a')]);
    expect((await post(Buffer.from('nonsense')))['code']).toBe(400);
    await server.stop();
  });

  it('needs a number for every field, and a type that protobuf has', () => {
    const declare = (spec: z.ZodObject) => () => defineResource({ ...NAMES, protobuf: true, spec });
    expect(declare(z.object({ a: z.string(), b: z.string().meta(fieldNumber(0)) }))).toThrow(
      'Thing cannot have protobuf: spec.a has no fieldNumber(); spec.b has the number 0, which protobuf does not allow',
    );
    const twice = z.object({ a: z.string().meta(fieldNumber(1)), b: z.string().meta(fieldNumber(1)) });
    expect(declare(twice)).toThrow('spec.b has the number 1 of another field');
    expect(declare(z.object({ a: z.any().meta(fieldNumber(1)) }))).toThrow('spec.a accepts any value');
  });
});
