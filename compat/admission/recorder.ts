/** The webhook server of the suite: it answers each path as a case says, and records the reviews that it receives. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../src/base/clock.ts';
import { createCa, issueServerCertificate } from '../../src/pki/certificates.ts';
import type { Json } from '../diff/normalise.ts';

/** The answer of a webhook. */
export type Behaviour =
  /** A review with these fields in its response, beside the uid. */
  | { readonly kind: 'response'; readonly response: Readonly<Record<string, unknown>> }
  /** A review with a JSON patch. */
  | { readonly kind: 'patch'; readonly operations: readonly unknown[] }
  /** The text as the whole body. */
  | { readonly kind: 'body'; readonly code: number; readonly text: string; readonly type?: string }
  /** A review of another version or kind. */
  | { readonly kind: 'review'; readonly review: Readonly<Record<string, unknown>> }
  /** The connection is closed before the answer. */
  | { readonly kind: 'close' };

export interface ReceivedReview {
  readonly path: string;
  readonly review: Json;
}

export interface Recorder {
  /** Without a slash at the end. */
  readonly url: string;
  readonly caPem: string;
  /** Sets what a path answers. */
  set(path: string, behaviour: Behaviour): void;
  /** Returns the reviews of the paths below `prefix`, in the order of their arrival. */
  received(prefix: string): readonly ReceivedReview[];
  stop(): Promise<void>;
}

export async function startRecorder(): Promise<Recorder> {
  const ca = await createCa({ commonName: 'webhook-ca', clock: systemClock });
  const { certificatePem, keyPem } = await issueServerCertificate(ca, { clock: systemClock });
  const behaviours = new Map<string, Behaviour>();
  const received: ReceivedReview[] = [];
  const server: Server = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    void answer(request, response, behaviours, received);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    caPem: ca.certificatePem,
    set: (path, behaviour) => void behaviours.set(path, behaviour),
    received: (prefix) => received.filter(({ path }) => path.startsWith(prefix)),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  behaviours: ReadonlyMap<string, Behaviour>,
  received: ReceivedReview[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { pathname, search } = new URL(request.url ?? '/', 'https://webhook');
  const review = JSON.parse(Buffer.concat(chunks).toString()) as { apiVersion: string; request: { uid: string } };
  received.push({ path: `${pathname}${search}`, review: review as unknown as Json });
  const behaviour = behaviours.get(pathname) ?? { kind: 'response', response: { allowed: true } };
  const send = (code: number, text: string, type = 'application/json'): void => {
    response.writeHead(code, { 'content-type': type });
    response.end(text);
  };
  const reply = (fields: Readonly<Record<string, unknown>>): void => {
    const { apiVersion, request: asked } = review;
    send(200, JSON.stringify({ kind: 'AdmissionReview', apiVersion, response: { uid: asked.uid, ...fields } }));
  };
  switch (behaviour.kind) {
    case 'response':
      return reply(behaviour.response);
    case 'patch': {
      const patch = Buffer.from(JSON.stringify(behaviour.operations)).toString('base64');
      return reply({ allowed: true, patchType: 'JSONPatch', patch });
    }
    case 'body':
      return send(behaviour.code, behaviour.text, behaviour.type);
    case 'review':
      return send(200, JSON.stringify(behaviour.review));
    case 'close':
      return void request.socket.destroy();
  }
}
