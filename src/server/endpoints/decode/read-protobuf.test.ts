import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { META_TYPE_VIEWS } from '../../../apimachinery/facts/meta-type-views.ts';
import { encodeMessage } from '../../../apimachinery/protobuf/encode.ts';
import { encodeEnvelope } from '../../../apimachinery/protobuf/envelope.ts';
import type { StructView } from '../../../apimachinery/type-view.ts';
import { decodeUtf8, encodeUtf8 } from '../../../base/bytes.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { META_TYPES } from '../../resource/meta-types.ts';
import { createTestServer, GADGETS, gadgetV1, type TestServer } from '../endpoints.fixtures.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

function envelope(view: StructView, value: JsonObject, kind: string, apiVersion: string): Uint8Array {
  const message = encodeMessage(view, value);
  if (!message.ok) throw new Error(message.error.message);
  return encodeEnvelope({ apiVersion, kind, raw: message.bytes, contentEncoding: '', contentType: '' });
}

describe('bodies in protobuf', () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await createTestServer();
  });

  afterEach(async () => {
    await server.stop();
  });

  async function send(method: string, target: string, body: Uint8Array): Promise<readonly [number, JsonObject]> {
    const response = await server.transport({ method, target, headers: { 'content-type': PROTOBUF }, body });
    return [response.status, JSON.parse(decodeUtf8(response.body as Uint8Array)) as JsonObject];
  }

  async function refusal(body: Uint8Array): Promise<unknown> {
    return (await send('POST', GADGETS, body))[1]['message'];
  }

  it('decode to the same objects as JSON', async () => {
    const value = { metadata: { name: 'a', labels: { l: 'x' } }, data: { k: 'v' }, size: 3 };
    const [code, made] = await send('POST', GADGETS, envelope(gadgetV1.type(), value, 'Gadget', 'toys.test/v1'));
    expect(code).toBe(201);
    expect(made).toMatchObject({ kind: 'Gadget', apiVersion: 'toys.test/v1', ...value, color: 'grey' });
    const changed = { ...value, size: 4 };
    const [updated, object] = await send('PUT', `${GADGETS}/a`, envelope(gadgetV1.type(), changed, '', ''));
    expect([updated, object['size']]).toEqual([200, 4]);
  });

  it('of another kind are refused by the kind in the envelope', async () => {
    const foreign = (kind: string, apiVersion: string): Uint8Array =>
      encodeEnvelope({ apiVersion, kind, raw: Uint8Array.of(0xff), contentEncoding: '', contentType: '' });
    expect(await refusal(foreign('Foo', 'toys.test/v1'))).toBe(
      'Foo in version "v1" cannot be handled as a Gadget: no kind "Foo" is registered for version "toys.test/v1" in scheme "pkg/runtime/scheme.go:111"',
    );
    expect(await refusal(foreign('Gadget', 'toys.test/v1beta1'))).toBe(
      'the API version in the data (toys.test/v1beta1) does not match the expected API version (toys.test/v1)',
    );
  });

  it('that are malformed are refused with the reason', async () => {
    const unrecognized = 'the object provided is unrecognized (must be of type Gadget): ';
    expect(await refusal(encodeUtf8('{}'))).toBe(
      `${unrecognized}provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({})`,
    );
    expect(await refusal(encodeUtf8('k8s\0'))).toBe(`${unrecognized}empty body (6b387300)`);
    expect(await refusal(new Uint8Array(0))).toBe(`${unrecognized}empty data (<empty>)`);
    const broken = encodeEnvelope({
      apiVersion: 'toys.test/v1',
      kind: 'Gadget',
      raw: Uint8Array.of(0xff, 0xff),
      contentEncoding: '',
      contentType: '',
    });
    expect(await refusal(broken)).toBe('Gadget in version "v1" cannot be handled as a Gadget: unexpected EOF');
  });

  it('ignore malformed versions and content encodings in the envelope', async () => {
    const message = encodeMessage(gadgetV1.type(), { metadata: { name: 'a' } });
    if (!message.ok) throw new Error(message.error.message);
    const odd = { apiVersion: 'a/b/c', contentEncoding: 'gzip', contentType: 'application/json' };
    const [code, object] = await send('POST', GADGETS, encodeEnvelope({ kind: 'Gadget', raw: message.bytes, ...odd }));
    expect([code, object['apiVersion']]).toEqual([201, 'toys.test/v1']);
  });

  it('are refused for kinds without a protobuf form', async () => {
    const [code, status] = await send('POST', '/apis/toys.test/v1/namespaces/ns/widgets', encodeUtf8('k8s\0'));
    expect([code, status['message']]).toEqual([
      415,
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml',
    ]);
  });

  it('may contain DeleteOptions', async () => {
    await server.ask('POST', GADGETS, { metadata: { name: 'a' } });
    const remove = (options: JsonObject): Promise<readonly [number, JsonObject]> =>
      send(
        'DELETE',
        `${GADGETS}/a`,
        envelope(META_TYPE_VIEWS.view(`${META_TYPES}DeleteOptions`), options, 'DeleteOptions', 'v1'),
      );
    expect((await remove({ dryRun: ['All'], gracePeriodSeconds: 0 }))[0]).toBe(200);
    expect((await remove({ preconditions: { uid: 'z' } }))[0]).toBe(409);
    expect((await server.ask('GET', `${GADGETS}/a`)).status).toBe(200);
    expect((await remove({ propagationPolicy: 'Background' }))[0]).toBe(200);
    expect((await server.ask('GET', `${GADGETS}/a`)).status).toBe(404);
    expect((await send('DELETE', `${GADGETS}/a`, encodeUtf8('{}')))[1]['message']).toMatch(
      /^provided data does not appear/,
    );
  });
});
