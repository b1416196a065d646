// An extension API server without a library: TLS, the check of the front proxy's certificate, discovery, and the verbs
// of one resource, on plain node:https. Run it as README.md says, then: kubectl get crontabs
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import {
  type Change,
  type CronTab,
  createCronTab,
  currentRevision,
  type Draft,
  deleteCronTab,
  followCronTabs,
  getCronTab,
  listCronTabs,
  Refusal,
  updateCronTab,
} from './crontabs.ts';
import { discoveryDocument, GROUP, GROUP_VERSION } from './discovery.ts';

/** kube-system/extension-apiserver-authentication: who may send requests on behalf of users. */
const authentication = JSON.parse(readFileSync('authentication.json', 'utf8')).data as Readonly<Record<string, string>>;
const allowedNames: readonly string[] = JSON.parse(authentication['requestheader-allowed-names'] ?? '[]');

const COLLECTION = new RegExp(`^/apis/${GROUP_VERSION}(?:/namespaces/([^/]+))?/crontabs(?:/([^/]+))?$`);
const BODY_LIMIT = 1_000_000;

const server = createServer(
  {
    cert: readFileSync('tls.crt'),
    key: readFileSync('tls.key'),
    // Only the API server has a certificate of this CA. The handshake of anyone else fails.
    ca: authentication['requestheader-client-ca-file'] ?? '',
    requestCert: true,
    rejectUnauthorized: true,
  },
  (request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (error instanceof Refusal) return sendStatus(response, error);
      console.error(error);
      sendStatus(response, new Refusal(500, 'InternalError', 'the request failed; the log of the server says why'));
    });
  },
);
server.listen(Number(process.env['PORT'] ?? 8443), '127.0.0.1', () => {
  const address = server.address();
  console.log(`crontabs are served on port ${typeof address === 'object' ? address?.port : address}`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = (request.socket as TLSSocket).getPeerCertificate().subject.CN;
  if (allowedNames.length > 0 && !allowedNames.includes(String(name)))
    throw new Refusal(401, 'Unauthorized', `the client certificate of ${name} is not that of the API server`);
  // The API server has authenticated and authorized the user, and says who it is.
  console.log(`${request.headers['x-remote-user']}: ${request.method} ${request.url}`);

  const url = new URL(request.url ?? '/', 'https://localhost');
  if (['/healthz', '/livez', '/readyz'].includes(url.pathname)) return void response.end('ok');
  const document = discoveryDocument(url.pathname, request.headers.accept ?? '');
  if (document !== undefined) return send(response, 200, document.body, document.contentType);
  const match = COLLECTION.exec(url.pathname);
  if (match === null) throw new Refusal(404, 'NotFound', 'the server could not find the requested resource');
  for (const parameter of ['labelSelector', 'dryRun'])
    if (url.searchParams.has(parameter))
      throw new Refusal(400, 'BadRequest', `this server does not know the parameter ${parameter}`);
  const [, namespace = '', object] = match;
  if (object === undefined) return answerCollection(request, response, namespace, url.searchParams);
  switch (request.method) {
    case 'GET':
      return send(response, 200, getCronTab(namespace, object));
    case 'PUT':
      return send(response, 200, updateCronTab(namespace, object, await readBody(request)));
    case 'PATCH':
      return send(response, 200, await patchCronTab(request, namespace, object));
    case 'DELETE': {
      const { uid } = deleteCronTab(namespace, object).metadata;
      const details = { name: object, group: GROUP, kind: 'crontabs', uid };
      return send(response, 200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
    }
    default:
      throw new Refusal(405, 'MethodNotAllowed', `${request.method} is not supported on a CronTab`);
  }
}

async function answerCollection(
  request: IncomingMessage,
  response: ServerResponse,
  namespace: string,
  parameters: URLSearchParams,
): Promise<void> {
  if (request.method === 'POST' && namespace !== '')
    return send(response, 201, createCronTab(namespace, await readBody(request)));
  if (request.method !== 'GET')
    throw new Refusal(405, 'MethodNotAllowed', `${request.method} is not supported on the collection`);
  const name = selectedName(parameters.get('fieldSelector') ?? '');
  const selected = ({ metadata }: CronTab): boolean =>
    (namespace === '' || metadata.namespace === namespace) && (name === undefined || metadata.name === name);
  if (['1', 'true'].includes(parameters.get('watch') ?? '')) return watch(response, parameters, selected);
  const items = listCronTabs(namespace).filter(selected);
  const metadata = { resourceVersion: String(currentRevision()) };
  send(response, 200, { kind: 'CronTabList', apiVersion: GROUP_VERSION, metadata, items });
}

/** Sends one line of JSON for each change until the client leaves or its time is up. */
function watch(response: ServerResponse, parameters: URLSearchParams, selected: (object: CronTab) => boolean): void {
  const write = ({ type, object }: Pick<Change, 'type' | 'object'>): void => {
    if (selected(object)) response.write(`${JSON.stringify({ type, object })}\n`);
  };
  const from = parameters.get('resourceVersion') ?? '';
  const since = from === '' || from === '0' ? currentRevision() : Number(from);
  const earlier: Change[] = [];
  let live = false;
  // Throws 410 before the headers are sent.
  const stop = followCronTabs(since, (change) => (live ? write(change) : void earlier.push(change)));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  // Without a revision the watch begins with the objects that exist.
  if (from === '' || from === '0') for (const object of listCronTabs('')) write({ type: 'ADDED', object });
  for (const change of earlier) write(change);
  live = true;
  const seconds = Number(parameters.get('timeoutSeconds') ?? 1800);
  const timer = setTimeout(() => response.end(), seconds * 1000);
  response.once('close', () => {
    clearTimeout(timer);
    stop();
  });
}

/** `kubectl wait` and `kubectl delete` watch one object by its name. */
function selectedName(fieldSelector: string): string | undefined {
  if (fieldSelector === '') return undefined;
  const name = /^metadata\.name==?([^,]+)$/.exec(fieldSelector)?.[1];
  if (name === undefined) throw new Refusal(400, 'BadRequest', `unknown field selector ${fieldSelector}`);
  return name;
}

async function patchCronTab(request: IncomingMessage, namespace: string, name: string): Promise<CronTab> {
  if (request.headers['content-type'] !== 'application/merge-patch+json')
    throw new Refusal(415, 'UnsupportedMediaType', 'only application/merge-patch+json is supported');
  const patch = await readBody(request);
  return updateCronTab(namespace, name, mergePatch(getCronTab(namespace, name), patch) as Draft);
}

/** RFC 7386. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch))
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  return merged;
}

async function readBody(request: IncomingMessage): Promise<Draft> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_LIMIT) throw new Refusal(413, 'RequestEntityTooLarge', `the limit is ${BODY_LIMIT} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Draft;
  } catch (error) {
    throw new Refusal(400, 'BadRequest', `the body is not JSON: ${(error as Error).message}`);
  }
}

function send(response: ServerResponse, code: number, body: object, contentType = 'application/json'): void {
  response.writeHead(code, { 'content-type': contentType }).end(JSON.stringify(body));
}

function sendStatus(response: ServerResponse, { code, reason, message }: Refusal): void {
  if (response.headersSent) return void response.destroy();
  send(response, code, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code });
}
