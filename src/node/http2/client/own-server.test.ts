import { afterEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../../server/http/exchange.ts';
import type { OutboundRequest, OutboundResponse } from '../../../server/http/outbound.ts';
import { certificates, listen, text } from '../../listener.fixtures.ts';
import { createOutboundClient } from '../../outbound/outbound-client.ts';
import { cleanUp, cleanups } from '../../proxy.fixtures.ts';

afterEach(cleanUp);

function bytesOf(response: OutboundResponse): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  return new Promise((resolve, reject) =>
    response.pipeTo({
      write: (more) => chunks.push(...more) > 0,
      onDrain: () => {},
      end: () => resolve(Buffer.concat(chunks)),
      abort: () => reject(new Error('aborted')),
      onClose: () => {},
    }),
  );
}

/** Sends requests to a server of ours, which answers with the body of the request. */
async function echo(): Promise<(more: Partial<OutboundRequest>) => Promise<OutboundResponse>> {
  const { ca } = await certificates();
  const listener = await listen((incoming): Answer => {
    if (incoming.method === 'GET') return text(`${incoming.target} ${incoming.headerValues('x-group').join('+')}`);
    const source = incoming.bodySource();
    return { kind: 'stream', status: 201, headers: { 'x-many': ['1', '2'] }, start: (sink) => source.pipeTo(sink) };
  });
  const client = createOutboundClient();
  cleanups.push(
    () => client.stop(),
    () => listener.stop(),
  );
  return (more) => client.request({ method: 'POST', url: listener.url, ca: ca.certificatePem, headers: {}, ...more });
}

describe('our client and our server', () => {
  it('exchange bodies of all sizes at the same time', async () => {
    const send = await echo();
    const sizes = [0, 1, 9, 16_383, 16_384, 16_385, 65_535, 65_536, 262_144, 262_145, 3_000_000];
    const exchange = async (size: number): Promise<boolean> => {
      const body = Buffer.alloc(size, `${size};`);
      return (await bytesOf(await send({ body }))).equals(body);
    };
    expect(await Promise.all([...sizes, ...sizes].map(exchange))).toEqual(Array(2 * sizes.length).fill(true));
  });

  it('keep their header tables equal over many requests with changing headers', async () => {
    const send = await echo();
    for (let i = 0; i < 300; i++) {
      const groups = [`g${i % 7}`, `g${i % 3}`, 'all'];
      const headers = { 'x-group': groups, 'x-large': 'v'.repeat((i * 37) % 900), [`x-${i}`]: String(i) };
      const response = await send({ method: 'GET', headers });
      expect((await bytesOf(response)).toString()).toBe(`/ ${groups.join('+')}`);
    }
    expect((await send({ body: Buffer.from('x') })).headers['x-many']).toEqual(['1', '2']);
  });
});
