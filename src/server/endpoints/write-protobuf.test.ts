import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LengthDelimitedDecoder } from '../../apimachinery/codec/framing.ts';
import { struct } from '../../apimachinery/patch/strategic-merge.fixtures.ts';
import { decodeMessage, decodeObject } from '../../apimachinery/protobuf/decode.ts';
import type { StructView, TypeView } from '../../apimachinery/type-view.ts';
import { concatBytes, decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { BugError } from '../../base/errors.ts';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { settle } from '../../base/virtual-clock.ts';
import type { Answer } from '../http/exchange.ts';
import type { AuditRecord } from '../http/server-request.ts';
import { META_TYPES, type MetaTypes } from '../resource/meta-types.ts';
import type { AnswerForm } from './encode/answer-form.ts';
import { ProtobufWriter } from './encode/protobuf-writer.ts';
import { chunksOf, createTestServer, GADGETS, gadgetV1, type TestServer } from './endpoints.fixtures.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const WIDGETS = '/apis/toys.test/v1/namespaces/ns/widgets';
const text: TypeView = { kind: 'scalar', scalar: 'string' };
const int64: TypeView = { kind: 'scalar', scalar: 'int64' };
const int32: TypeView = { kind: 'scalar', scalar: 'int32' };

const gadget = gadgetV1.type();
const objectMeta = gadget.field('metadata')?.type as StructView;
const listMeta = struct('ListMeta', {
  selfLink: text,
  resourceVersion: text,
  continue: text,
  remainingItemCount: { type: int64, pointer: true },
});
const details = struct('StatusDetails', {
  name: text,
  group: text,
  kind: text,
  causes: text,
  retryAfterSeconds: int32,
});
const status = struct('Status', {
  metadata: listMeta,
  status: text,
  message: text,
  reason: text,
  details: { type: details, pointer: true },
  code: int32,
});
const partial = struct('PartialObjectMetadata', { metadata: objectMeta });

function listOf(items: StructView): TypeView {
  return { kind: 'list', items, listType: 'atomic', mapKeys: [] };
}

const views: Readonly<Record<string, StructView>> = {
  Gadget: gadget,
  GadgetList: struct('GadgetList', { metadata: listMeta, items: listOf(gadget) }),
  Status: status,
  PartialObjectMetadata: partial,
  PartialObjectMetadataList: struct('PartialObjectMetadataList', { metadata: listMeta, items: listOf(partial) }),
  ListMeta: listMeta,
};
const oldMetadataList = struct('PartialObjectMetadataList', { items: listOf(partial), metadata: listMeta });

const types: MetaTypes = {
  view: (name) => {
    const view = views[name.slice(META_TYPES.length)];
    if (view === undefined) throw new BugError(`no type ${name}`);
    return view;
  },
  typeName: () => undefined,
};

function decode(bytes: Uint8Array): JsonObject {
  const read = decodeObject(bytes, ({ apiVersion, kind }) =>
    kind === 'PartialObjectMetadataList' && apiVersion.endsWith('beta1') ? oldMetadataList : views[kind],
  );
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

/** The type and the object of an event without its frame. */
function decodeEvent(bytes: Uint8Array): readonly [JsonValue | undefined, JsonObject] {
  const raw = struct('RawExtension', { raw: { kind: 'scalar', scalar: 'bytes' } });
  const read = decodeMessage(struct('WatchEvent', { type: text, object: raw }), bytes);
  if (!read.ok) throw new Error(read.error.message);
  const object = (read.value['object'] as JsonObject)['raw'] as string;
  return [read.value['type'], decode(Uint8Array.from(atob(object), (char) => char.charCodeAt(0)))];
}

function withoutKind({ kind: _kind, apiVersion: _apiVersion, ...rest }: JsonObject): JsonObject {
  return rest;
}

describe('answers in protobuf', () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await createTestServer({ server: { types } });
    for (const name of ['a', 'b', 'c'])
      await server.ask('POST', GADGETS, { metadata: { name, labels: { l: name } }, data: { k: 'v' }, size: 3 });
  });

  afterEach(async () => {
    await server.stop();
  });

  async function get(target: string, accept = PROTOBUF, from: TestServer = server): Promise<JsonObject> {
    const response = await from.transport({ method: 'GET', target, headers: { accept } });
    expect([response.status, response.headers['content-type']]).toEqual([200, PROTOBUF]);
    const chunks: Uint8Array[] = [];
    if (response.body instanceof Uint8Array) chunks.push(response.body);
    else for await (const chunk of response.body) chunks.push(chunk);
    return decode(concatBytes(chunks));
  }

  it('contain the same objects as JSON', async () => {
    const { body } = await server.ask('GET', `${GADGETS}/a`);
    expect(await get(`${GADGETS}/a`)).toEqual(body);
    expect(await get(`${GADGETS}/a`, `${PROTOBUF},application/json`)).toEqual(body);
    expect(
      (await server.ask('GET', `${GADGETS}/a`, undefined, { accept: `application/json,${PROTOBUF}` })).body,
    ).toEqual(body);
  });

  it('contain lists with resourceVersion and continue token', async () => {
    const { body } = await server.ask('GET', `${GADGETS}?limit=2`);
    expect(body['metadata']).toMatchObject({ remainingItemCount: 1, continue: expect.any(String) });
    const list = await get(`${GADGETS}?limit=2`);
    // The made-up type has its type fields on the wire, as no real one has.
    expect({ ...list, items: (list['items'] as JsonObject[]).map(withoutKind) }).toEqual(body);
    expect(await get('/apis/toys.test/v1/namespaces/none/gadgets')).toMatchObject({ kind: 'GadgetList' });
  });

  it('contain lists of any length, in blocks', async () => {
    const large = 'x'.repeat(40_000);
    for (const name of ['l', 'm']) await server.ask('POST', GADGETS, { metadata: { name }, data: { large } });
    const answer = await server.answer('GET', GADGETS, { accept: PROTOBUF });
    expect(answer.kind).toBe('chunks');
    const list = await get(GADGETS);
    expect((list['items'] as JsonObject[]).map((item) => (item['metadata'] as JsonObject)['name'])).toEqual([
      'a',
      'b',
      'c',
      'l',
      'm',
    ]);
  });

  it('are sent for writes', async () => {
    const headers = { accept: PROTOBUF };
    const send = async (method: string, target: string, body: string): Promise<JsonObject> => {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const response = await server.transport({
        method,
        target,
        headers: { ...headers, 'content-type': type },
        body: encodeUtf8(body),
      });
      return decode(response.body as Uint8Array);
    };
    expect(await send('POST', GADGETS, '{"metadata":{"name":"d"},"size":1}')).toMatchObject({
      kind: 'Gadget',
      size: 1,
    });
    expect(await send('PUT', `${GADGETS}/d`, '{"metadata":{"name":"d"},"size":2}')).toMatchObject({ size: 2 });
    expect(await send('PATCH', `${GADGETS}/d`, '{"size":4}')).toMatchObject({ kind: 'Gadget', size: 4 });
    expect(await send('DELETE', `${GADGETS}/d`, '{}')).toMatchObject({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Success',
      details: { name: 'd', kind: 'gadgets' },
    });
    expect(await send('DELETE', GADGETS, '{}')).toMatchObject({ kind: 'GadgetList', items: [{}, {}, {}] });
  });

  it('contain PartialObjectMetadata, also for kinds without a protobuf form', async () => {
    const as = (kind: string, version = 'v1'): string => `${PROTOBUF};as=${kind};g=meta.k8s.io;v=${version}`;
    await server.ask('POST', WIDGETS, { metadata: { name: 'a', labels: { l: 'a' } } });
    for (const target of [GADGETS, WIDGETS]) {
      const { metadata } = (await server.ask('GET', `${target}/a`)).body;
      expect(await get(`${target}/a`, as('PartialObjectMetadata'))).toEqual({
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata,
      });
      for (const version of ['v1', 'v1beta1']) {
        const list = await get(`${target}?labelSelector=l=a`, as('PartialObjectMetadataList', version));
        expect(list).toMatchObject({
          kind: 'PartialObjectMetadataList',
          apiVersion: `meta.k8s.io/${version}`,
          items: [{ metadata }],
        });
      }
    }
    const refused = await server.ask('GET', `${GADGETS}/a`, undefined, { accept: as('PartialObjectMetadataList') });
    expect([refused.status, refused.body['reason']]).toEqual([406, 'NotAcceptable']);
    expect((await server.ask('GET', GADGETS, undefined, { accept: as('PartialObjectMetadata') })).status).toBe(406);
  });

  it('are refused for tables and for objects without a protobuf form', async () => {
    await server.ask('POST', WIDGETS, { metadata: { name: 'a' } });
    const table = `${PROTOBUF};as=Table;g=meta.k8s.io;v=v1`;
    const message =
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';
    for (const [target, accept] of [
      [`${GADGETS}/a`, table],
      [`${WIDGETS}/a`, PROTOBUF],
      [`${WIDGETS}?watch=true`, PROTOBUF],
    ] as const) {
      const { status: code, body } = await server.ask('GET', target, undefined, { accept });
      expect([code, body['message']]).toEqual([406, message]);
    }
    const other = await server.ask('GET', `${WIDGETS}/a`, undefined, { accept: `${PROTOBUF},application/json` });
    expect([other.status, other.headers['content-type']]).toEqual([200, 'application/json']);
  });

  it('are refused by a server without the types', async () => {
    const plain = await createTestServer();
    expect((await plain.ask('GET', GADGETS, undefined, { accept: PROTOBUF })).status).toBe(406);
    await plain.stop();
  });

  it('leave JSON in the audit event', async () => {
    const audit = { wantsResponseObject: true, responseObject: undefined } as unknown as AuditRecord;
    const audited = await createTestServer({ server: { types }, audit });
    await audited.ask('POST', GADGETS, { metadata: { name: 'a' } });
    for (const [target, kind] of [
      [`${GADGETS}/a`, 'Gadget'],
      [GADGETS, 'GadgetList'],
    ] as const) {
      await get(target, PROTOBUF, audited);
      expect(JSON.parse(decodeUtf8(audit.responseObject as Uint8Array))).toMatchObject({ kind });
    }
    await audited.stop();
  });

  describe('of a watch', () => {
    function open(answer: Answer): Uint8Array[] {
      expect(answer.headers['content-type']).toBe(`${PROTOBUF};stream=watch`);
      return chunksOf(answer);
    }

    function events(chunks: readonly Uint8Array[]): (readonly [JsonValue | undefined, JsonObject])[] {
      const decoder = new LengthDelimitedDecoder();
      return chunks.flatMap((chunk) => {
        const frames = decoder.push(chunk);
        if (!frames.ok) throw new Error(frames.error.message);
        return frames.frames.map(decodeEvent);
      });
    }

    it('are events with their length, each with the object in its envelope', async () => {
      const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const chunks = open(
        await server.answer('GET', `${GADGETS}?${query}&fieldSelector=metadata.name=a`, { accept: PROTOBUF }),
      );
      await settle();
      await settle();
      const { body } = await server.ask('GET', `${GADGETS}/a`);
      await server.ask('DELETE', `${GADGETS}/a`);
      await settle();
      await settle();
      const seen = events(chunks);
      expect(seen.map(([type]) => type)).toEqual(['ADDED', 'BOOKMARK', 'DELETED']);
      expect(seen[0]?.[1]).toEqual(body);
      expect(seen[1]?.[1]).toMatchObject({
        kind: 'Gadget',
        metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
      });
      expect(seen[2]?.[1]).toMatchObject({ kind: 'Gadget', metadata: { name: 'a' } });
    });

    it('contain PartialObjectMetadata if requested, and a Status in an ERROR event', async () => {
      const accept = `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
      const chunks = open(
        await server.answer('GET', `${GADGETS}?watch=true&fieldSelector=metadata.name=b`, { accept }),
      );
      await settle();
      await settle();
      expect(events(chunks)).toMatchObject([
        ['ADDED', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'b' } }],
      ]);
      const ended = new ProtobufWriter(types).errorEvent({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        reason: 'Expired',
        code: 410,
      });
      expect(events([ended])).toMatchObject([
        ['ERROR', { kind: 'Status', apiVersion: 'v1', reason: 'Expired', code: 410 }],
      ]);
    });

    it('are sent as WebSocket messages without their length', async () => {
      const sockets = await createTestServer({ server: { types }, protocol: 'http/1.1' });
      await sockets.ask('POST', GADGETS, { metadata: { name: 'a' } });
      const answer = await sockets.answer('GET', `${GADGETS}?watch=true`, {
        accept: PROTOBUF,
        upgrade: 'websocket',
        connection: 'Upgrade',
        origin: 'https://here.test',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      });
      if (answer.kind !== 'websocket') throw new Error(`the answer is ${answer.kind}`);
      const messages: (Uint8Array | string)[] = [];
      answer.start({
        protocol: '',
        send: (message) => messages.push(message) > 0,
        onDrain: () => undefined,
        onMessage: () => undefined,
        close: () => undefined,
        onClose: () => undefined,
      });
      await settle();
      await settle();
      expect(messages.map((message) => decodeEvent(message as Uint8Array))).toMatchObject([
        ['ADDED', { kind: 'Gadget', metadata: { name: 'a' } }],
      ]);
      await sockets.stop();
    });
  });

  describe('cost', () => {
    const form: AnswerForm = {
      mediaType: PROTOBUF,
      streamMediaType: `${PROTOBUF};stream=watch`,
      shape: 'object',
      apiVersion: '',
      pretty: false,
    };

    it('is one encoding per state of an object, for objects, lists and events', () => {
      let asked = 0;
      const version = {
        ...gadgetV1,
        type: () => {
          asked++;
          return gadget;
        },
      };
      const writer = new ProtobufWriter(types);
      const bytes = encodeUtf8('{"kind":"Gadget","apiVersion":"toys.test/v1","metadata":{"name":"a"},"size":1}');
      const [, field] = writer.object(version, form, bytes);
      expect(writer.list(version, form, [bytes], { resourceVersion: '1' })).toContain(field);
      writer.event('ADDED', version, form, bytes);
      expect(asked).toBe(1);
      writer.object(version, form, bytes.slice());
      expect(asked).toBe(2);
    });

    it('is a BugError if an object does not fit its type', () => {
      const bytes = encodeUtf8('{"metadata":{"name":1}}');
      expect(() => new ProtobufWriter(types).object(gadgetV1, form, bytes)).toThrow(BugError);
    });
  });
});
