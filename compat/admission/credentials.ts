/**
 * Webhooks that ask for credentials: a client certificate, or a bearer token. Both servers get the same kubeconfig with
 * the same users, named by host and port, and call the same webhooks. A webhook returns who called it as a warning.
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { systemClock } from '../../src/base/clock.ts';
import { createCa, issueClientCertificate, issueServerCertificate } from '../../src/pki/certificates.ts';
import type { Step } from '../diff/request.ts';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps?dryRun=All';
const SERVICE = 'hook.default.svc';

export interface CredentialHooks {
  /** The text of the file that `kubeConfigFile` names. */
  readonly kubeconfig: string;
  /** The registration, sent once. */
  readonly registration: readonly Step[];
  /** A create for each kind of credentials. A configuration in force adds a warning, or refuses the request. */
  readonly cases: readonly Step[];
  stop(): Promise<void>;
}

export async function startCredentialHooks(): Promise<CredentialHooks> {
  const clock = systemClock;
  const ca = await createCa({ commonName: 'webhook-ca', clock });
  const clientCa = await createCa({ commonName: 'client-ca', clock });
  const hosts = ['127.0.0.1', 'localhost', SERVICE];
  const { certificatePem: cert, keyPem: key } = await issueServerCertificate(ca, { clock, hosts });
  const client = { ca: clientCa.certificatePem, requestCert: true };
  const servers = {
    certificate: createServer({ cert, key, ...client, rejectUnauthorized: true }, answer),
    token: createServer({ cert, key, ...client, rejectUnauthorized: false }, answerToken),
  };
  const [certificatePort, tokenPort] = [await listen(servers.certificate), await listen(servers.token)];
  const certificateUser = async (user: string) => {
    const pair = await issueClientCertificate(clientCa, { clock, user });
    return { 'client-certificate-data': btoa(pair.certificatePem), 'client-key-data': btoa(pair.keyPem) };
  };
  const users = {
    [`127.0.0.1:${certificatePort}`]: await certificateUser('by-address'),
    [`*.default.svc:${certificatePort}`]: await certificateUser('by-service'),
    [`127.0.0.1:${tokenPort}`]: { token: 'token-by-address' },
    [`*.svc:${tokenPort}`]: { username: 'name', password: 'secret' },
    '*': { token: 'token-of-all' },
  };
  const service = (port: number) => ({ service: { namespace: 'default', name: 'hook', port } });
  const addresses: Readonly<Record<string, object>> = {
    'certificate-by-address': { url: `https://127.0.0.1:${certificatePort}/` },
    'certificate-by-service': service(certificatePort),
    // Gets the token of all hosts, and no certificate.
    'certificate-missing': { url: `https://localhost:${certificatePort}/` },
    'token-by-address': { url: `https://127.0.0.1:${tokenPort}/` },
    'token-of-all': { url: `https://localhost:${tokenPort}/` },
    'password-by-service': service(tokenPort),
  };
  const caBundle = btoa(ca.certificatePem);
  const hook = ([name, address]: readonly [string, object]) => ({
    name: `${name}.example.com`,
    clientConfig: { ...address, caBundle },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    objectSelector: { matchLabels: { credentials: name } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  });
  const post = (path: string, body: Record<string, unknown>): Step => ({ method: 'POST', path, body });
  return {
    kubeconfig: JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      users: Object.entries(users).map(([name, user]) => ({ name, user })),
    }),
    registration: [
      post('/api/v1/namespaces/default/services', {
        metadata: { name: 'hook' },
        spec: { type: 'ExternalName', externalName: 'localhost' },
      }),
      ...['mutating', 'validating'].map((kind) =>
        post(`${CONFIGURATIONS}/${kind}webhookconfigurations`, {
          metadata: { name: 'credentials' },
          webhooks: Object.entries(addresses).map(hook),
        }),
      ),
    ],
    cases: Object.keys(addresses).map((name) =>
      post(CONFIG_MAPS, { metadata: { name, labels: { credentials: name } } }),
    ),
    stop: async () => {
      for (const server of Object.values(servers)) {
        server.close();
        server.closeAllConnections();
        await once(server, 'close');
      }
    },
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const review = JSON.parse(Buffer.concat(chunks).toString()) as { readonly request: { readonly uid: string } };
  const { subject } = (request.socket as TLSSocket).getPeerCertificate();
  const caller = `certificate of ${subject?.CN ?? 'none'}, authorization ${request.headers.authorization ?? 'none'}`;
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: review.request.uid, allowed: true, warnings: [caller] },
    }),
  );
}

/** Refuses calls without credentials in a header. */
async function answerToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.headers.authorization !== undefined) return answer(request, response);
  request.resume();
  response.writeHead(401).end('a token is required');
}
