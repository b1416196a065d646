import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { readSocket } from './read-socket.ts';

const opened: { destroy(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.destroy();
});

/** Two ends of one connection. */
async function connected(): Promise<[Socket, Socket]> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const far = connect(address.port, '127.0.0.1');
  const [near] = await accepted;
  opened.push(far, near);
  server.close();
  return [near, far];
}

/** Resolves when the listener has this many bytes. */
function collect(bytes: number): { readonly listener: (piece: Buffer) => void; readonly all: Promise<string> } {
  const pieces: Buffer[] = [];
  let done: (text: string) => void = () => undefined;
  const all = new Promise<string>((resolve) => {
    done = resolve;
  });
  const listener = (piece: Buffer): void => {
    pieces.push(piece);
    const whole = Buffer.concat(pieces);
    if (whole.length >= bytes) done(whole.toString());
  };
  return { listener, all };
}

test('bytes arrive in order, also those before the listener, and the stream buffers none', async () => {
  const [near, far] = await connected();
  far.write('early ');
  await once(near, 'readable');
  const { listener, all } = collect(15);
  readSocket(near, listener);
  far.write('late ');
  far.write('last');
  expect(await all).toBe('early late last');
  expect(near.readableLength).toBe(0);
});

test('the end is emitted after the last bytes', async () => {
  const [near, far] = await connected();
  const order: string[] = [];
  readSocket(near, (bytes) => order.push(bytes.toString()));
  const ended = once(near, 'end');
  far.end('bye');
  await ended;
  expect(order).toEqual(['bye']);
});

test('a large body passes whole', async () => {
  const [near, far] = await connected();
  const { listener, all } = collect(4_000_000);
  readSocket(near, listener);
  far.write('x'.repeat(4_000_000));
  expect((await all).length).toBe(4_000_000);
});

test('a socket that the listener destroys hands on nothing more', async () => {
  const [near, far] = await connected();
  let calls = 0;
  readSocket(near, () => {
    calls++;
    near.destroy();
  });
  far.on('error', () => undefined);
  far.write('one');
  await once(near, 'close');
  far.write('two');
  await once(far, 'close');
  expect(calls).toBe(1);
});
