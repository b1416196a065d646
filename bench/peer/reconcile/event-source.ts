/**
 * A server of ConfigMaps that answers one list and one watch from memory. The watch sends many changes as fast as the
 * client reads them: the client is the only thing that this measures.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface EventSource {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  close(): Promise<void>;
}

/** The changes in one piece of the stream. */
const CHUNK = 200;
/** The pause between the first list and the changes, in which the client becomes idle. */
const PAUSE_MS = 500;

/** The objects change in turn, `events` times altogether. The last resourceVersion is `objects + events`. */
export async function startEventSource(objects: number, events: number): Promise<EventSource> {
  const initial = Array.from({ length: objects }, (_, i) => configMap(i, i + 1));
  const chunks: Buffer[] = [];
  for (let at = 0; at < events; at += CHUNK) {
    let text = '';
    for (let i = at; i < Math.min(at + CHUNK, events); i++)
      text += `{"type":"MODIFIED","object":${configMap(i % objects, objects + i + 1)}}\n`;
    chunks.push(Buffer.from(text));
  }
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    response.setHeader('content-type', 'application/json');
    if (searchParams.get('watch') === null) {
      response.end(
        `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"${objects}"},"items":[${initial.join(',')}]}`,
      );
      return;
    }
    if (searchParams.get('sendInitialEvents') === 'true') {
      for (const object of initial) response.write(`{"type":"ADDED","object":${object}}\n`);
      response.write(
        `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"${objects}","annotations":{"k8s.io/initial-events-end":"true"}}}}\n`,
      );
    } else response.flushHeaders();
    setTimeout(() => void send(response, chunks), PAUSE_MS);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function send(response: ServerResponse, chunks: readonly Buffer[]): Promise<void> {
  for (const chunk of chunks) if (!response.write(chunk)) await once(response, 'drain');
}

/** About one kilobyte, as a server prints it. */
function configMap(index: number, revision: number): string {
  return JSON.stringify({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: {
      name: `map-${index}`,
      namespace: 'bench',
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      resourceVersion: `${revision}`,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: 'bench', part: `${index % 10}` },
    },
    data: { text: 'x'.repeat(650), revision: `${revision}` },
  });
}
