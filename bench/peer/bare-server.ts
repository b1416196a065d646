/** The process of the bare server: TLS, HTTP/2, one answer for all requests. It ends when its parent disconnects. */
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';

export interface BareStart {
  readonly key: string;
  readonly cert: string;
  readonly body: string;
}

export interface BareMessage {
  readonly port: number;
}

process.once('message', (start: BareStart) => {
  const body = Buffer.from(start.body);
  const headers = { ':status': 200, 'content-type': 'application/json', 'content-length': body.length };
  const server = createSecureServer({ key: start.key, cert: start.cert });
  server.on('stream', (stream) => {
    stream.respond(headers);
    stream.end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
});
process.once('disconnect', () => process.exit(0));
