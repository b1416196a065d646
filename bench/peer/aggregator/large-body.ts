/** A server behind the aggregator that streams large bodies, and the memory that they cost on the way. */
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import { request as sendHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KeyedCertificate } from '../../../src/pki/certificates.ts';
import { memoryOf } from '../process-figures.ts';
import type { Side } from '../side.ts';

export const GROUP = 'stream.example.com';
const CHUNK = Buffer.alloc(64 * 1024, 120);

export interface StreamServer {
  readonly port: number;
  stop(): void;
}

/** `GET .../things?bytes=N` answers with as many bytes; a POST is read and answered with its size. */
export async function startStreamServer({ certificatePem, keyPem }: KeyedCertificate): Promise<StreamServer> {
  const server = createSecureServer({ cert: certificatePem, key: keyPem, allowHTTP1: true }, (request, response) => {
    const url = new URL(request.url, 'https://x');
    if (request.method === 'POST') {
      let size = 0;
      request.on('data', (chunk: Buffer) => {
        size += chunk.length;
      });
      request.on('end', () => response.end(String(size)));
      return;
    }
    const bytes = Number(url.searchParams.get('bytes') ?? 0);
    if (bytes === 0) {
      const isDiscovery = url.pathname === `/apis/${GROUP}/v1`;
      response.writeHead(isDiscovery ? 200 : 404, { 'content-type': 'application/json' });
      response.end(isDiscovery ? DISCOVERY : '{}');
      return;
    }
    let left = bytes;
    const more = (): void => {
      while (left > 0) {
        left -= CHUNK.length;
        if (!response.write(CHUNK)) return;
      }
      response.end();
    };
    response.on('drain', more);
    more();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, stop: () => server.close() };
}

const DISCOVERY: string = JSON.stringify({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${GROUP}/v1`,
  resources: [{ name: 'things', singularName: 'thing', namespaced: false, kind: 'Thing', verbs: ['list', 'create'] }],
});

export interface StreamFigures {
  readonly megabytesPerSecond: number;
  /** The most resident memory during the transfer, less that before it. */
  readonly growth: number;
}

const PATH = `/apis/${GROUP}/v1/things`;

/** Receives, or sends, `bytes` through the server. */
export async function stream(side: Side, direction: 'down' | 'up', bytes: number): Promise<StreamFigures> {
  const before = memoryOf(side.pids).resident;
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, memoryOf(side.pids).resident);
  }, 20);
  const start = performance.now();
  try {
    const size = direction === 'down' ? await receive(side, bytes) : await upload(side, bytes);
    if (size < bytes) throw new Error(`${side.name}: ${size} of ${bytes} bytes arrived`);
  } finally {
    clearInterval(sampling);
  }
  const seconds = (performance.now() - start) / 1000;
  return { megabytesPerSecond: bytes / 1e6 / seconds, growth: peak - before };
}

function receive({ url, token }: Side, bytes: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const options = { headers, rejectUnauthorized: false, agent: false };
    const sent = sendHttps(`${url}${PATH}?bytes=${bytes}`, options, (answer) => {
      let size = 0;
      answer.on('data', (chunk: Buffer) => {
        size += chunk.length;
      });
      answer.on('end', () => resolve(size));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

function upload({ url, token }: Side, bytes: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' };
    const options = { method: 'POST', headers, rejectUnauthorized: false, agent: false };
    const sent = sendHttps(`${url}${PATH}`, options, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      answer.on('end', () => resolve(Number(text)));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    let left = bytes;
    const more = (): void => {
      while (left > 0) {
        left -= CHUNK.length;
        if (!sent.write(CHUNK)) return;
      }
      sent.end();
    };
    sent.on('drain', more);
    more();
  });
}
