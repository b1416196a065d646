/** Abusive clients. Each runs until it is stopped, then closes everything that it opened. */
import type { EventEmitter } from 'node:events';
import { type ClientHttp2Stream, connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { ADMIN_TOKEN } from './server.ts';

export interface Target {
  readonly port: number;
  readonly url: string;
}

export interface Flood {
  readonly name: string;
  /** Runs while `goesOn` returns true. Returns a summary of what it did. */
  run(target: Target, goesOn: () => boolean): Promise<string>;
}

const MAPS = '/api/v1/namespaces/default/configmaps';
const authorization = `Bearer ${ADMIN_TOKEN}`;

/** Resolves when the socket is closed for any reason. */
function closed(stream: EventEmitter): Promise<void> {
  return new Promise((resolve) => stream.once('close', () => resolve()));
}

function connected(session: EventEmitter): Promise<void> {
  return new Promise((resolve) => session.once('connect', () => resolve()));
}

function tls(port: number, protocol = 'http/1.1'): Promise<TLSSocket> {
  return new Promise((resolve) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: [protocol] });
    socket.on('error', () => undefined);
    socket.resume();
    socket.once('secureConnect', () => resolve(socket));
    socket.once('close', () => resolve(socket));
  });
}

async function whileOpen(count: number, open: (i: number) => Promise<Socket>, goesOn: () => boolean): Promise<string> {
  let closed = 0;
  const sockets = await Promise.all(Array.from({ length: count }, (_, i) => open(i)));
  for (const socket of sockets) socket.on('close', () => closed++);
  while (goesOn()) await sleep(50);
  for (const socket of sockets) socket.destroy();
  return `${count} connections, ${closed} closed by the server in that time`;
}

export const FLOODS: readonly Flood[] = [
  {
    name: 'broken TLS: garbage instead of a handshake',
    async run({ port }, goesOn) {
      let connections = 0;
      while (goesOn()) {
        const socket = connectTcp(port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.resume();
        socket.write(`GET / HTTP/1.1\r\nhost: a\r\n\r\n${'\u0000\u0001garbage'.repeat(50)}`);
        await Promise.race([closed(socket), sleep(500)]);
        socket.destroy();
        connections++;
      }
      return `${connections} connections`;
    },
  },
  {
    name: 'slow senders: a header a byte at a time, a body that never ends',
    run({ port }, goesOn) {
      return whileOpen(
        100,
        async (i) => {
          const socket = await tls(port);
          const head =
            i % 2 === 0
              ? 'GET / HTTP/1.1\r\nhost: a\r\nx-slow: '
              : `POST ${MAPS} HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{`;
          socket.write(head);
          const timer = setInterval(() => socket.writable && socket.write('a'), 100);
          socket.on('close', () => clearInterval(timer));
          return socket;
        },
        goesOn,
      );
    },
  },
  {
    name: 'slow readers: lists that are asked for and not read',
    run({ port }, goesOn) {
      return whileOpen(
        20,
        async () => {
          const socket = await tls(port);
          socket.write(`GET ${MAPS} HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\n\r\n`.repeat(20));
          socket.pause();
          return socket;
        },
        goesOn,
      );
    },
  },
  {
    name: '10,000 streams on one connection',
    async run({ url }, goesOn) {
      let answered = 0;
      while (goesOn()) {
        const session = connectHttp2(url, { rejectUnauthorized: false });
        session.on('error', () => undefined);
        session.setMaxListeners(0);
        const streams = Array.from(
          { length: 10_000 },
          () =>
            new Promise<void>((resolve) => {
              const stream = session.request({ ':path': '/version', authorization });
              stream.on('response', (headers) => {
                if (headers[':status'] === 200) answered++;
              });
              stream.on('error', () => undefined);
              stream.on('close', resolve);
              stream.resume();
            }),
        );
        await Promise.race([Promise.all(streams), sleep(5000)]);
        session.destroy();
      }
      return `${answered} answered 200`;
    },
  },
  {
    name: 'header floods: a megabyte of headers over HTTP/1.1 and HTTP/2',
    async run({ port, url }, goesOn) {
      let refused = 0;
      while (goesOn()) {
        const socket = await tls(port);
        socket.write('GET / HTTP/1.1\r\nhost: a\r\n');
        for (let i = 0; i < 100 && socket.writable; i++) socket.write(`x-flood-${i}: ${'x'.repeat(10_000)}\r\n`);
        await Promise.race([closed(socket), sleep(500)]);
        if (socket.destroyed) refused++;
        socket.destroy();
        const session = connectHttp2(url, { rejectUnauthorized: false });
        session.on('error', () => undefined);
        const flood = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`x-flood-${i}`, 'x'.repeat(1000)]));
        const stream = session.request({ ':path': '/version', ...flood });
        stream.on('error', () => undefined);
        stream.resume();
        await Promise.race([closed(stream), sleep(500)]);
        session.destroy();
      }
      return `${refused} HTTP/1.1 connections closed`;
    },
  },
  {
    name: 'rapid resets',
    async run({ url }, goesOn) {
      let resets = 0;
      let cut = 0;
      while (goesOn()) {
        const session = connectHttp2(url, { rejectUnauthorized: false });
        session.on('error', () => undefined);
        session.setMaxListeners(0);
        await Promise.race([connected(session), sleep(500)]);
        while (goesOn() && !session.closed && !session.destroyed) {
          const streams: ClientHttp2Stream[] = [];
          for (let i = 0; i < 20 && !session.closed && !session.destroyed; i++) {
            const stream = session.request({ ':path': MAPS, authorization });
            stream.on('error', () => undefined);
            streams.push(stream);
          }
          // A stream that is closed at once is never sent.
          await sleep(1);
          for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
          resets += streams.length;
        }
        if (goesOn()) cut++;
        session.destroy();
      }
      return `${resets} resets, ${cut} connections cut by the server`;
    },
  },
];
