/** A webhook server in this process: its CPU is not that of the servers. It speaks HTTP/1.1, as most webhooks do. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../../src/base/clock.ts';
import { createCa, issueServerCertificate } from '../../../src/pki/certificates.ts';

export interface WebhookServer {
  /** Without a slash at the end. `/mutate` adds a label, every other path allows. */
  readonly url: string;
  /** In base64, for configurations. */
  readonly caBundle: string;
  stop(): Promise<void>;
}

const PATCH = Buffer.from('[{"op":"add","path":"/metadata/labels/mutated","value":"true"}]').toString('base64');

export async function startWebhookServer(): Promise<WebhookServer> {
  const ca = await createCa({ commonName: 'webhook-ca', clock: systemClock });
  const { certificatePem, keyPem } = await issueServerCertificate(ca, { clock: systemClock });
  const server = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as { request: { uid: string } };
      const patch = request.url?.startsWith('/mutate') ? { patchType: 'JSONPatch', patch: PATCH } : {};
      const body = JSON.stringify({
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid: review.request.uid, allowed: true, ...patch },
      });
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
      response.end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    caBundle: Buffer.from(ca.certificatePem).toString('base64'),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
