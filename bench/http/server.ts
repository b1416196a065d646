/**
 * A server of the HTTP benchmark in a process of its own. `ours` is the listener with a trivial handler; `bare` is a
 * node:http2 TLS server that sends the same bytes. It reports its port over IPC, answers `cpu` with its CPU time, and
 * on `event` writes one shared chunk to every open stream.
 */
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { startListener } from '../../src/node/listener.ts';
import type { AnswerSink } from '../../src/server/http/exchange.ts';

export interface ServerStart {
  readonly side: 'ours' | 'bare';
  readonly key: string;
  readonly cert: string;
}

export type ServerMessage =
  | { readonly port: number }
  /** Microseconds of CPU time so far, and the number of open streams. */
  | { readonly cpu: number; readonly streams: number };

const body = Buffer.allocUnsafeSlow(1024).fill('x');
const contentType = 'application/json';
/** A watch event: one object of 1 KB. */
const shared = [body];

async function serve(start: ServerStart): Promise<{ port: number; event(): void; streams(): number }> {
  const { key, cert } = start;
  if (start.side === 'ours') {
    const sinks = new Set<AnswerSink>();
    const headers = { 'content-type': contentType };
    const listener = await startListener({
      host: '127.0.0.1',
      port: 0,
      tls: { key, cert },
      handler: (incoming) =>
        incoming.target === '/watch'
          ? {
              kind: 'stream',
              status: 200,
              headers,
              start(sink) {
                sinks.add(sink);
                sink.onClose(() => sinks.delete(sink));
              },
            }
          : { kind: 'bytes', status: 200, headers, body },
    });
    const event = (): void => {
      for (const sink of sinks) sink.write(shared);
    };
    return { port: listener.port, event, streams: () => sinks.size };
  }
  const streams = new Set<ServerHttp2Stream>();
  const server = createSecureServer({
    key,
    cert,
    ciphers: 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384',
    honorCipherOrder: true,
    maxSessionMemory: 64,
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    if (headers[':path'] === '/watch') {
      stream.respond({ ':status': 200, 'content-type': contentType });
      streams.add(stream);
      stream.on('close', () => streams.delete(stream));
      return;
    }
    stream.respond({ ':status': 200, 'content-type': contentType, 'content-length': body.byteLength });
    stream.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const event = (): void => {
    for (const stream of streams) stream.write(body);
  };
  return { port: (server.address() as AddressInfo).port, event, streams: () => streams.size };
}

process.once('message', async (start: ServerStart) => {
  const server = await serve(start);
  const send = (message: ServerMessage): void => void process.send?.(message);
  send({ port: server.port });
  process.on('message', (message: 'cpu' | 'event') => {
    if (message === 'event') return server.event();
    const { user, system } = process.cpuUsage();
    send({ cpu: user + system, streams: server.streams() });
  });
  process.on('disconnect', () => process.exit(0));
});
