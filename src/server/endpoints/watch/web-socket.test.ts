import { describe, expect, it } from 'vitest';
import type { WebSocketPeer } from '../../http/exchange.ts';
import { createTestServer, GADGETS } from '../endpoints.fixtures.ts';

describe('WebSocket watches', () => {
  const HANDSHAKE = {
    connection: 'keep-alive, Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    origin: 'http://x.test',
  };

  class Peer implements WebSocketPeer {
    readonly protocol = '';
    readonly messages: (Uint8Array | string)[] = [];
    closed: number | undefined;

    send(message: Uint8Array | string): boolean {
      this.messages.push(message);
      return true;
    }
    onDrain(): void {}
    onMessage(): void {}
    onClose(): void {}
    close(code: number): void {
      this.closed = code;
    }
  }

  const target = `${GADGETS}?watch=true&timeoutSeconds=5`;

  it('send one text message for each event and close when the time is up', async () => {
    const server = await createTestServer({ protocol: 'http/1.1' });
    await server.ask('POST', GADGETS, { metadata: { name: 'a' } });
    const answer = await server.answer('GET', target, { ...HANDSHAKE, 'sec-websocket-protocol': 'binary.k8s.io' });
    if (answer.kind !== 'websocket') throw new Error(`the answer is ${answer.kind}`);
    expect(answer.protocols).toEqual(['binary.k8s.io']);
    const peer = new Peer();
    answer.start(peer);
    await server.clock.advance(1);
    expect(peer.messages).toHaveLength(1);
    expect(peer.messages[0]).toMatch(/^\{"type":"ADDED","object":\{"kind":"Gadget".*\}\}\n$/);
    await server.clock.advance(6_000);
    expect(peer.closed).toBe(1000);
    await server.stop();
  });

  it('are refused without an origin, with several protocols, or over HTTP/2, and open no watch then', async () => {
    const server = await createTestServer({ protocol: 'http/1.1' });
    const { origin: _origin, ...anonymous } = HANDSHAKE;
    expect(await server.answer('GET', target, anonymous)).toMatchObject({ kind: 'bytes', status: 403 });
    for (const more of [
      { 'sec-websocket-protocol': 'a, b' },
      { 'sec-websocket-key': 'x' },
      { 'sec-websocket-version': '8' },
    ])
      expect(await server.answer('GET', target, { ...HANDSHAKE, ...more })).toMatchObject({
        kind: 'bytes',
        status: 400,
      });
    const h2 = await createTestServer({ protocol: 'h2' });
    expect(await h2.answer('GET', target, HANDSHAKE)).toMatchObject({ kind: 'bytes', status: 400 });
    expect([server.resources.watches, h2.resources.watches]).toEqual([0, 0]);
    await h2.stop();
    await server.stop();
  });
});
