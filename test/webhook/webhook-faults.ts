/**
 * The fault matrix of webhooks: servers with one fault each, and the answer of kube-apiserver 1.36 to a request that calls
 * them. The unit test runs it on virtual time; `compat/admission/faults.ts` compares both servers.
 */
import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { VirtualClock } from '../../src/base/virtual-clock.ts';
import type { MutatingWebhookConfiguration } from '../../src/kinds/api/admissionregistration/v1.ts';
import { createCa, issueServerCertificate, type KeyedCertificate } from '../../src/pki/certificates.ts';

export interface ReviewCall {
  readonly review: { readonly apiVersion: string; readonly request: { readonly uid: string } };
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Below TLS. */
  readonly socket: Socket;
}

export interface Fault {
  readonly name: string;
  /** Answers a review. Default: a review that allows the request. */
  answer?(call: ReviewCall): void;
  /** Default: a certificate for localhost by the CA of the configuration. */
  certificate?(ca: KeyedCertificate): Promise<KeyedCertificate>;
  /** The listener: TLS by default. */
  readonly listens?: 'tls' | 'plain' | 'nothing';
  /** Whether the webhook is answered only by its timeout. */
  readonly hangs?: boolean;
  readonly code: number;
  /** The end of the message. PORT stands for the port of the webhook, UID for that of the review. */
  readonly message: RegExp;
  /** Whether the text differs from that of the reference on purpose. */
  readonly differs?: boolean;
}

const FAILED = 'failed calling webhook "fault.example.com"';

export function allow({ review, response }: ReviewCall, more: object = {}): void {
  const answer = { allowed: true, uid: review.request.uid, ...more };
  if (!response.headersSent) response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ kind: 'AdmissionReview', apiVersion: review.apiVersion, response: answer }));
}

function patch(operations: readonly object[]): object {
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}

/** Each operation doubles the annotation's list: 2^40 bytes if nothing stops it. */
function doubling(): object {
  const operations: object[] = [{ op: 'add', path: '/metadata/x', value: ['x'.repeat(1000)] }];
  for (let i = 0; i < 40; i++) operations.push({ op: 'copy', from: '/metadata/x', path: '/metadata/x/-' });
  return patch(operations);
}

const raw =
  (text: string) =>
  ({ response }: ReviewCall): void =>
    void response.socket?.write(text);

const YEARS_2 = 2 * 365 * 24 * 3_600_000;
const clock: Clock = systemClock;
const post = (reason: string): RegExp => new RegExp(`${FAILED}: failed to call webhook: Post "[^"]+": ${reason}$`);
const RESET = 'read tcp 127\\.0\\.0\\.1:\\d+->127\\.0\\.0\\.1:PORT: read: connection reset by peer';
const inBody = (reason: string): RegExp =>
  plain(
    `failed to call webhook: unexpected error when reading response body\\. Please retry\\. Original error: ${reason}`,
  );
const plain = (reason: string): RegExp => new RegExp(`${FAILED}: ${reason}$`);

export const FAULTS: readonly Fault[] = [
  {
    name: 'refuses connections',
    listens: 'nothing',
    code: 500,
    message: post('dial tcp 127\\.0\\.0\\.1:PORT: connect: connection refused'),
  },
  {
    name: 'hangs before its headers',
    hangs: true,
    answer: () => {},
    code: 500,
    message: post('context deadline exceeded'),
  },
  {
    name: 'hangs inside its body',
    hangs: true,
    answer: raw('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"kind":'),
    code: 500,
    message: inBody('context deadline exceeded'),
  },
  { name: 'closes the connection', answer: ({ socket }) => void socket.end(), code: 500, message: post('EOF') },
  {
    name: 'resets the connection',
    answer: ({ socket }) => void socket.resetAndDestroy(),
    code: 500,
    message: post(RESET),
  },
  {
    name: 'resets the connection inside its body',
    answer: ({ response, socket }) =>
      void response.socket?.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"kind":', () =>
        socket.resetAndDestroy(),
      ),
    code: 500,
    // In one process the reset may be seen as the end of the connection.
    message: inBody(`(${RESET}|unexpected EOF)`),
  },
  {
    name: 'ends inside its body',
    answer: ({ response }) => void response.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"kind":'),
    code: 500,
    message: inBody('unexpected EOF'),
  },
  {
    name: 'does not speak HTTP',
    answer: raw('garbage\r\n\r\n'),
    code: 500,
    message: post('net/http: HTTP/1\\.x transport connection broken: malformed HTTP response "garbage"'),
  },
  {
    name: 'does not speak TLS',
    listens: 'plain',
    code: 500,
    message: post('http: server gave HTTP response to HTTPS client'),
  },
  {
    name: 'answers with text',
    answer: ({ response }) => void response.end('hello'),
    code: 500,
    message: plain(
      "failed to call webhook: couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct .*",
    ),
  },
  {
    name: 'answers with nothing',
    answer: ({ response }) => void response.end(),
    code: 500,
    message: plain(
      'failed to call webhook: 0-length response with status code: 200 and content type: application/json',
    ),
  },
  {
    name: 'answers with 503 and text',
    answer: ({ response }) => void response.writeHead(503).end('try later'),
    code: 500,
    message: plain('failed to call webhook: the server is currently unable to handle the request'),
  },
  {
    name: 'answers with another uid',
    answer: (call) => allow(call, { uid: 'other' }),
    code: 500,
    message: plain('received invalid webhook response: expected response\\.uid="UID", got "other"'),
  },
  {
    name: 'answers in another version',
    answer: (call) => allow({ ...call, review: { ...call.review, apiVersion: 'admission.k8s.io/v1beta1' } }),
    code: 500,
    message: plain(
      'failed to call webhook: converting \\(v1beta1\\.AdmissionReview\\) to \\(v1\\.AdmissionReview\\): unknown conversion',
    ),
  },
  {
    name: 'has a certificate of another authority',
    certificate: async () => issueServerCertificate(await createCa({ clock, commonName: 'other' }), { clock }),
    code: 500,
    message: post('tls: failed to verify certificate: x509: certificate signed by unknown authority'),
  },
  {
    name: 'has an expired certificate',
    certificate: (ca) => issueServerCertificate(ca, { clock: new VirtualClock(Date.now() - YEARS_2) }),
    code: 500,
    message: post(
      'tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time .* is after .*',
    ),
  },
  {
    name: 'redirects',
    answer: ({ request, response }) =>
      void response.writeHead(302, { location: `https://${request.headers.host}/elsewhere` }).end(),
    code: 500,
    message: plain('failed to call webhook: Post "https://127\\.0\\.0\\.1:PORT/elsewhere": stopped after 10 redirects'),
  },
  {
    name: 'redirects with 307',
    answer: ({ request, response }) =>
      void response.writeHead(307, { location: `https://${request.headers.host}/elsewhere` }).end(),
    code: 500,
    message: plain('failed to call webhook: Post "https://127\\.0\\.0\\.1:PORT/elsewhere": stopped after 10 redirects'),
  },
  {
    name: 'answers with 100 MB',
    answer: (call) => {
      const chunk = Buffer.alloc(1 << 20, ' ');
      let left = 100;
      const write = (): void => {
        while (left > 0 && !call.response.destroyed) {
          left--;
          if (!call.response.write(chunk)) return void call.response.once('drain', write);
        }
        if (!call.response.destroyed) allow(call);
      };
      write();
    },
    code: 500,
    // The reference has no limit in bytes; here it read on until the timeout.
    message: plain('failed to call webhook: .*(the answer is larger than \\d+ bytes|context deadline exceeded)'),
    differs: true,
  },
  {
    name: 'answers with a patch that grows without bound',
    answer: (call) => allow(call, doubling()),
    code: 500,
    message:
      /: Unable to complete the copy, the accumulated size increase of copy is 4115463, exceeding the limit 3145728$/,
  },
  {
    name: 'answers with a patch that does not apply',
    answer: (call) => allow(call, patch([{ op: 'remove', path: '/data/none' }])),
    code: 500,
    message: /: error in remove for path: '\/data\/none': Unable to remove nonexistent key: none: missing value$/,
  },
];

/** Replaces the parts of a message that differ from run to run. */
export function comparable(message: string, port: number): string {
  return message.replaceAll(String(port), 'PORT').replace(/uid="[-0-9a-f]{36}"/, 'uid="UID"');
}

/** A webhook that writes the object which it reviews, and then allows the request. Its own write is allowed at once. */
export interface Callback {
  readonly name: string;
  readonly method: 'POST' | 'PUT' | 'PATCH';
  /** The write of the webhook. */
  readonly inner: 'POST' | 'PATCH' | 'DELETE';
  readonly code: number;
  /** The reason of a refusal; '' for none. */
  readonly reason: string;
  /** How many reviews the webhook gets, its own write included. */
  readonly reviews: number;
}

export const CALLBACKS: readonly Callback[] = [
  { name: 'creates what is created', method: 'POST', inner: 'POST', code: 409, reason: 'AlreadyExists', reviews: 2 },
  { name: 'patches what is replaced', method: 'PUT', inner: 'PATCH', code: 409, reason: 'Conflict', reviews: 3 },
  // A patch without a resourceVersion is applied to the new state, which is reviewed again.
  { name: 'patches what is patched', method: 'PATCH', inner: 'PATCH', code: 200, reason: '', reviews: 3 },
  { name: 'deletes what is patched', method: 'PATCH', inner: 'DELETE', code: 404, reason: 'NotFound', reviews: 1 },
];

/** Sends a request. Returns the code and the Status or object. */
export type SendRequest = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ readonly status: number; readonly body: { readonly reason?: string; readonly message?: string } }>;

/**
 * Runs a callback on a server whose webhook of the label calls `answered.by`. Returns what is compared:
 * `409 AlreadyExists, 2 reviews`.
 */
export async function runCallback(
  { method, inner }: Callback,
  label: string,
  send: SendRequest,
  webhook: { readonly server: FaultyServer; answer: (call: ReviewCall) => void },
): Promise<string> {
  const maps = '/api/v1/namespaces/default/configmaps';
  const object = { metadata: { name: label, labels: { fault: label } } };
  webhook.answer = allow;
  const created = method === 'POST' ? undefined : (await send('POST', maps, object)).body;
  const before = webhook.server.received();
  let isInner = false;
  webhook.answer = (call) => {
    if (isInner) return allow(call);
    isInner = true;
    const change = { metadata: { annotations: { inner: 'yes' } } };
    void (
      inner === 'POST'
        ? send('POST', maps, object)
        : send(inner, `${maps}/${label}`, inner === 'PATCH' ? change : undefined)
    ).then(() => allow(call));
  };
  const outer = { metadata: { annotations: { outer: 'yes' } } };
  const { status, body } =
    method === 'POST'
      ? await send('POST', maps, object)
      : await send(method, `${maps}/${label}`, method === 'PUT' ? { ...created, data: { k: 'v' } } : outer);
  return `${status} ${body.reason ?? ''}, ${webhook.server.received() - before} reviews`;
}

export interface FaultyServer {
  readonly port: number;
  readonly caPem: string;
  /** Connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
  /** Reviews that were received completely. */
  readonly received: () => number;
  /** The bytes that were sent over all connections so far. */
  readonly sent: () => number;
  stop(): Promise<void>;
}

/** Starts a server with the fault. `fault` is read for each review, so that it may end. */
export async function startFaulty(fault: () => Fault): Promise<FaultyServer> {
  const ca = await createCa({ clock, commonName: 'faults' });
  const { certificate = (issuer: KeyedCertificate) => issueServerCertificate(issuer, { clock }), listens = 'tls' } =
    fault();
  const { certificatePem: cert, keyPem: key } = await certificate(ca);
  const plainSockets = new Map<number | undefined, Socket>();
  const sockets = new Set<Socket>();
  let received = 0;
  let sent = 0;
  const handler = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received++;
      const socket = plainSockets.get(request.socket.remotePort) ?? request.socket;
      const text = Buffer.concat(chunks).toString();
      const review =
        text === '' ? { apiVersion: '', request: { uid: '' } } : (JSON.parse(text) as ReviewCall['review']);
      (fault().answer ?? allow)({ review, request, response, socket });
    });
  };
  const server: Server = listens === 'plain' ? createHttp(handler) : createHttps({ cert, key }, handler);
  server.on('connection', (socket: Socket) => {
    const { remotePort } = socket;
    plainSockets.set(remotePort, socket);
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sent += socket.bytesWritten;
      plainSockets.delete(remotePort);
      sockets.delete(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  };
  if (listens === 'nothing') await stop();
  return { port, caPem: ca.certificatePem, sockets, received: () => received, sent: () => sent, stop };
}

/** The configuration of one webhook on the port for ConfigMaps with the label `fault: name`. */
export function faultConfiguration(
  server: Pick<FaultyServer, 'port' | 'caPem'>,
  label: string,
  timeoutSeconds: number,
): MutatingWebhookConfiguration {
  return {
    metadata: { name: `fault-${label}` },
    webhooks: [
      {
        name: 'fault.example.com',
        clientConfig: { url: `https://127.0.0.1:${server.port}/review`, caBundle: btoa(server.caPem) },
        rules: [{ operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        objectSelector: { matchLabels: { fault: label } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds,
      },
    ],
  };
}
