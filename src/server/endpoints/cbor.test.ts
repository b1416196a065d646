import { describe, expect, it } from 'vitest';
import { encodeCbor } from '../../apimachinery/codec/cbor/cbor.ts';
import { decodeCbor } from '../../apimachinery/codec/cbor/cbor-decode.ts';
import type { JsonValue } from '../../base/json-value.ts';
import { settle } from '../../base/virtual-clock.ts';
import { chunksOf, createTestServer, GADGETS } from './endpoints.fixtures.ts';

const CBOR = 'application/cbor';

function decode(bytes: Uint8Array): JsonValue {
  const read = decodeCbor(bytes);
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

describe('CBOR', () => {
  it('is neither read nor written by default', async () => {
    const server = await createTestServer();
    expect((await server.ask('GET', GADGETS, undefined, { accept: CBOR })).status).toBe(406);
    expect((await server.ask('POST', GADGETS, 'x', { 'content-type': CBOR })).status).toBe(415);
    await server.stop();
  });

  it('is read and written in addition to the other media types', async () => {
    const server = await createTestServer({ server: { cbor: true } });
    const body = encodeCbor({ metadata: { name: 'a' }, data: { k: 'v' }, foo: 1 });
    const headers = { 'content-type': CBOR, accept: CBOR };
    const made = await server.transport({ method: 'POST', target: GADGETS, headers, body });
    expect([made.status, made.headers['content-type'], made.headers['warning']]).toEqual([
      201,
      CBOR,
      ['299 - "unknown field \\"foo\\""'],
    ]);
    expect(decode(made.body as Uint8Array)).toMatchObject({ kind: 'Gadget', data: { k: 'v' } });
    const strict = await server.transport({
      method: 'POST',
      target: `${GADGETS}?fieldValidation=Strict`,
      headers: { 'content-type': CBOR },
      body,
    });
    expect(strict.status).toBe(400);
    const options = encodeCbor({ dryRun: ['All'] });
    const gone = await server.transport({
      method: 'DELETE',
      target: `${GADGETS}/a`,
      headers: { 'content-type': CBOR },
      body: options,
    });
    expect(gone.status).toBe(200);
    expect((await server.ask('GET', `${GADGETS}/a`)).status).toBe(200);
    await server.stop();
  });

  it('is watched as a sequence', async () => {
    const server = await createTestServer({ server: { cbor: true } });
    await server.ask('POST', GADGETS, { metadata: { name: 'a' } });
    const answer = await server.answer('GET', `${GADGETS}?watch=true`, { accept: CBOR });
    expect(answer.headers['content-type']).toBe('application/cbor-seq');
    const chunks = chunksOf(answer);
    await settle();
    await settle();
    expect(decode(chunks[0] as Uint8Array)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
    await server.stop();
  });
});
