import { mkdtempSync, rmSync } from 'node:fs';
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import { GRPC, type GrpcChannel, type GrpcChannelOptions, type GrpcError } from '../../base/grpc.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { openGrpcChannel } from './grpc-channel.ts';

const cleanups: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

interface Peer {
  readonly url: string;
  readonly sessions: ServerHttp2Session[];
  readonly server: Http2Server;
}

/** A server of node:http2, which is another implementation than the one under test. */
async function serve(handle: Handler, options: ServerOptions & { path?: string; port?: number } = {}): Promise<Peer> {
  const server = createServer(options);
  const sessions: ServerHttp2Session[] = [];
  server.on('session', (session) => sessions.push(session));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    handle(stream, headers);
  });
  await new Promise<void>((resolve) =>
    server.listen(options.path === undefined ? { port: options.port ?? 0, host: '127.0.0.1' } : options.path, resolve),
  );
  cleanups.push(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  const url =
    options.path === undefined
      ? `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      : `unix://${options.path}`;
  return { url, sessions, server };
}

function open(endpoint: string, more: Partial<GrpcChannelOptions> = {}): GrpcChannel {
  const channel = openGrpcChannel({ endpoint, clock: systemClock, ...more });
  cleanups.push(() => channel.close());
  return channel;
}

function framed(message: Uint8Array | string): Buffer {
  const bytes = Buffer.from(message);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

function respond(stream: ServerHttp2Stream, body: Uint8Array, trailers: Record<string, string>): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end(body);
}

/** Answers each call with its own body. */
const echo: Handler = (stream) => {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => respond(stream, Buffer.concat(chunks), { 'grpc-status': '0' }));
};

async function failure(call: Promise<unknown>): Promise<GrpcError> {
  return call.then(
    () => expect.unreachable('the call must fail'),
    (error: GrpcError) => error,
  );
}

describe('a gRPC channel', () => {
  it('sends many calls of all sizes over one connection', async () => {
    const { url, sessions } = await serve(echo);
    const channel = open(url);
    const sizes = [0, 1, 100, 16_379, 16_384, 70_000, 3_000_000];
    const call = async (size: number): Promise<boolean> => {
      const message = Buffer.alloc(size, `${size};`);
      return Buffer.from(await channel.unary('/s/M', framed(message), 10_000)).equals(message);
    };
    const all = [...sizes, ...sizes, ...new Array<number>(50).fill(1200)];
    expect(await Promise.all(all.map(call))).toEqual(all.map(() => true));
    expect(sessions).toHaveLength(1);
  });

  it('reads the status of each answer, also when answers with equal headers repeat', async () => {
    const statuses = ['0', '0', '5', '0', '5', '0', '0'];
    const { url } = await serve((stream) => {
      const status = statuses[(stream.id! - 1) / 2]!;
      stream.resume();
      if (status === '0') respond(stream, framed('x'), { 'grpc-status': '0', 'grpc-message': '' });
      else stream.respond({ ':status': 200, 'grpc-status': status, 'grpc-message': 'no' }, { endStream: true });
    });
    const channel = open(url);
    const seen: string[] = [];
    for (const _ of statuses)
      seen.push(
        await channel.unary('/s/M', framed('y'), 10_000).then(
          () => '0',
          (error: GrpcError) => String(error.code),
        ),
      );
    expect(seen).toEqual(statuses);
  });

  it('sends the headers of gRPC and the metadata', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const { url } = await serve((stream, headers) => {
      seen.push(headers);
      echo(stream, headers);
    });
    await open(url, { metadata: { hasleader: 'true' } }).unary('/s/M', framed('x'), 10_000);
    expect(seen).toMatchObject([
      {
        ':method': 'POST',
        ':scheme': 'http',
        ':path': '/s/M',
        ':authority': url.slice('http://'.length),
        'content-type': 'application/grpc',
        te: 'trailers',
        hasleader: 'true',
      },
    ]);
  });

  it('reports the status of a call, also without a body, and how far the call got', async () => {
    const { url } = await serve((stream, headers) => {
      const status = { 'grpc-status': '14', 'grpc-message': 'no leader%21' };
      if (headers[':path'] === '/with/body') respond(stream, Buffer.alloc(0), status);
      else stream.respond({ ':status': 200, ...status }, { endStream: true });
    });
    const channel = open(url, { progressOf: (_, message) => (message === 'no leader!' ? 'refused' : 'unknown') });
    for (const path of ['/with/body', '/trailers/only'])
      expect(await failure(channel.unary(path, framed('x'), 10_000))).toMatchObject({
        code: GRPC.unavailable,
        message: 'no leader!',
        progress: 'refused',
      });
  });

  it('reports answers that are not gRPC', async () => {
    const { url } = await serve((stream) => stream.respond({ ':status': 404 }, { endStream: true }));
    const error = await failure(open(url).unary('/s/M', framed('x'), 10_000));
    expect(error).toMatchObject({ code: GRPC.unavailable, progress: 'unknown' });
    expect(error.message).toContain('HTTP 404');
  });

  it('has sent nothing if there is no server, and connects once there is one', async () => {
    const { server, url } = await serve(echo);
    await new Promise((resolve) => server.close(resolve));
    const channel = open(url);
    const error = await failure(channel.unary('/s/M', framed('x'), 10_000));
    expect(error).toMatchObject({ code: GRPC.unavailable, progress: 'refused' });
    expect(error.message).toContain('ECONNREFUSED');
    await serve(echo, { port: Number(new URL(url).port) });
    expect(await channel.unary('/s/M', framed('x'), 10_000)).toHaveLength(1);
  });

  it('does not know the outcome of calls in flight when the connection is lost, and makes another one', async () => {
    let isLost = false;
    const { url, sessions } = await serve((stream, headers) => {
      if (isLost) echo(stream, headers);
      else {
        isLost = true;
        stream.session?.destroy();
      }
    });
    const channel = open(url);
    expect(await failure(channel.unary('/s/M', framed('x'), 10_000))).toMatchObject({
      code: GRPC.unavailable,
      progress: 'unknown',
    });
    expect(await channel.unary('/s/M', framed('x'), 10_000)).toHaveLength(1);
    expect(sessions).toHaveLength(2);
  });

  it('ends a call after its time, and the server learns of it', async () => {
    const arrived = new Deferred<void>();
    const cancelled = new Deferred<number | undefined>();
    const { url } = await serve((stream) => {
      stream.on('close', () => cancelled.resolve(stream.rstCode));
      stream.on('data', () => arrived.resolve());
    });
    const clock = new VirtualClock();
    const call = failure(open(url, { clock }).unary('/s/M', framed('x'), 2000));
    await arrived.promise;
    await clock.advance(1900);
    expect(await Promise.race([call, 'running'])).toBe('running');
    await clock.advance(400);
    expect(await call).toMatchObject({ code: GRPC.deadlineExceeded, progress: 'unknown' });
    expect(await cancelled.promise).toBe(8);
  });

  it('keeps to the number of streams that the server allows', async () => {
    let running = 0;
    let most = 0;
    const { url } = await serve(
      (stream, headers) => {
        most = Math.max(most, ++running);
        stream.on('close', () => running--);
        echo(stream, headers);
      },
      { settings: { maxConcurrentStreams: 3 } },
    );
    const channel = open(url);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => channel.unary('/s/M', framed(String(i)), 10_000)),
    );
    expect(answers.map((answer) => Buffer.from(answer).toString())).toEqual(answers.map((_, i) => String(i)));
    expect(most).toBeLessThanOrEqual(3);
  });

  it('accepts as many pings as a server sends that measures the bandwidth', async () => {
    const { url, sessions } = await serve(echo);
    const channel = open(url);
    await channel.unary('/s/M', framed('x'), 10_000);
    const ping = (): Promise<void> =>
      new Promise((resolve, reject) => sessions[0]!.ping((error) => (error === null ? resolve() : reject(error))));
    for (let i = 0; i < 1200; i++) await Promise.all(Array.from({ length: 10 }, ping));
    expect(await channel.unary('/s/M', framed('x'), 10_000)).toHaveLength(1);
    expect(sessions).toHaveLength(1);
  });

  it('fails running and later calls when it is closed', async () => {
    const arrived = new Deferred<void>();
    const { url } = await serve(() => arrived.resolve());
    const channel = open(url);
    const running = failure(channel.unary('/s/M', framed('x'), 10_000));
    await arrived.promise;
    channel.close();
    expect(await running).toMatchObject({ code: GRPC.unavailable, progress: 'unknown' });
    expect(await failure(channel.unary('/s/M', framed('x'), 10_000))).toMatchObject({ progress: 'refused' });
  });

  it('connects to a socket in the file system', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'grpc-'));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const { url } = await serve(echo, { path: join(folder, 'socket') });
    expect(Buffer.from(await open(url).unary('/s/M', framed('x'), 10_000)).toString()).toBe('x');
  });

  it.each(['localhost:2379', 'ftp://a', 'unix://'])('refuses the address %s', (endpoint) => {
    expect(() => open(endpoint)).toThrow('is not the address of a gRPC server');
  });
});

describe('a stream of a gRPC channel', () => {
  interface Recorded {
    readonly messages: string[];
    readonly ended: Deferred<GrpcError>;
    /** Resolves when there are as many messages. */
    has(count: number): Promise<void>;
  }

  function record(): Recorded & { message(bytes: Uint8Array): void; end(error: GrpcError): void } {
    const messages: string[] = [];
    const ended = new Deferred<GrpcError>();
    let wanted: { readonly count: number; readonly done: Deferred<void> } | undefined;
    return {
      messages,
      ended,
      message: (bytes) => {
        if (messages.push(Buffer.from(bytes).toString()) >= (wanted?.count ?? Number.POSITIVE_INFINITY))
          wanted?.done.resolve();
      },
      end: (error) => ended.resolve(error),
      has: (count) => {
        wanted = { count, done: new Deferred<void>() };
        if (messages.length >= count) wanted.done.resolve();
        return wanted.done.promise;
      },
    };
  }

  const echoFrames: Handler = (stream) => {
    stream.respond({ ':status': 200 });
    stream.on('data', (chunk: Buffer) => stream.write(chunk));
  };

  it('carries messages in both directions, also those that were sent before it was connected', async () => {
    const { url } = await serve(echoFrames);
    const sink = record();
    const stream = open(url).duplex('/s/D', sink);
    stream.send(framed('a'));
    stream.send(framed('b'));
    await sink.has(2);
    stream.send(framed('c'.repeat(100_000)));
    await sink.has(3);
    expect(sink.messages.map((text) => text.length)).toEqual([1, 1, 100_000]);
  });

  it('is cancelled by close, after which the sink is not called', async () => {
    const code = new Deferred<number | undefined>();
    const { url } = await serve((stream, headers) => {
      stream.on('close', () => code.resolve(stream.rstCode));
      echoFrames(stream, headers);
    });
    const sink = record();
    const stream = open(url).duplex('/s/D', sink);
    stream.send(framed('a'));
    await sink.has(1);
    stream.close();
    expect(await code.promise).toBe(8);
    expect(await Promise.race([sink.ended.promise, 'silent'])).toBe('silent');
  });

  it.each([
    [
      'has a status',
      (stream: ServerHttp2Stream) => stream.respond({ ':status': 200, 'grpc-status': '7' }, { endStream: true }),
      GRPC.permissionDenied,
    ],
    [
      'is ended by the server',
      (stream: ServerHttp2Stream) => respond(stream, Buffer.alloc(0), { 'grpc-status': '0' }),
      GRPC.unavailable,
    ],
    ['loses its connection', (stream: ServerHttp2Stream) => stream.session?.destroy(), GRPC.unavailable],
  ])('reports its end: %s', async (_, handle, code) => {
    const { url } = await serve((stream) => void handle(stream));
    const sink = record();
    open(url).duplex('/s/D', sink);
    expect((await sink.ended.promise).code).toBe(code);
  });

  it('reports in a later turn that there is no server', async () => {
    const { server, url } = await serve(echo);
    await new Promise((resolve) => server.close(resolve));
    const sink = record();
    open(url).duplex('/s/D', sink);
    expect(await sink.ended.promise).toMatchObject({ code: GRPC.unavailable, progress: 'refused' });
  });

  it('ends if its sink cannot read a message', async () => {
    const { url } = await serve(echoFrames);
    const ended = new Deferred<GrpcError>();
    const stream = open(url).duplex('/s/D', {
      message: () => {
        throw new Error('not readable');
      },
      end: (error) => ended.resolve(error),
    });
    stream.send(framed('a'));
    expect((await ended.promise).message).toContain('not readable');
  });
});
