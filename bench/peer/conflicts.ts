/**
 * Updates with conflicts: 64 writers on 8 objects. Each writer reads an object, changes it and updates it at the
 * resourceVersion that it read. A conflict makes it read again.
 */
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2';
import { ask, configMapBody, headersOf, type Side, withCpu } from './side.ts';

export interface ConflictFigures {
  readonly perSecond: number;
  /** Server CPU per successful update. */
  readonly cpuMicros: number;
  /** The share of the updates that were refused with 409. */
  readonly conflicts: number;
}

const WRITERS = 64;
const OBJECTS = 8;
const CONNECTIONS = 4;

interface Stored {
  readonly metadata: { readonly resourceVersion: string };
  data: Record<string, string>;
}

/** Runs the writers until `updates` updates have succeeded. Throws if an answer is neither 200 nor 409. */
export async function updateWithConflicts(side: Side, namespace: string, updates: number): Promise<ConflictFigures> {
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  const paths = await Promise.all(Array.from({ length: OBJECTS }, () => createTarget(side, collection)));
  const sessions = Array.from({ length: CONNECTIONS }, () => connect(side.url, { rejectUnauthorized: false }));
  const headers = Object.fromEntries(headersOf(side).map((line) => line.split(': ') as [string, string]));
  let [succeeded, refused] = [0, 0];
  const write = async (writer: number): Promise<void> => {
    const session = sessions[writer % CONNECTIONS] as ClientHttp2Session;
    const path = paths[writer % OBJECTS] as string;
    for (let count = 0; succeeded < updates; count++) {
      const read = await send(session, { ...headers, ':method': 'GET', ':path': path });
      const object = JSON.parse(read.text) as Stored;
      object.data['writer'] = `${writer}-${count}`;
      const { status, text } = await send(
        session,
        { ...headers, ':method': 'PUT', ':path': path },
        JSON.stringify(object),
      );
      if (status === 200) succeeded++;
      else if (status === 409) refused++;
      else throw new Error(`${side.name}: PUT ${path}: ${status} ${text.slice(0, 300)}`);
    }
  };
  try {
    const began = performance.now();
    const { cpu } = await withCpu(side, async () => {
      await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    });
    const seconds = (performance.now() - began) / 1000;
    return {
      perSecond: succeeded / seconds,
      cpuMicros: (cpu * 1e6) / succeeded,
      conflicts: refused / (succeeded + refused),
    };
  } finally {
    for (const session of sessions) session.destroy();
  }
}

async function createTarget(side: Side, collection: string): Promise<string> {
  const text = await ask(side, 'POST', collection, JSON.parse(configMapBody()));
  return `${collection}/${(JSON.parse(text) as { metadata: { name: string } }).metadata.name}`;
}

function send(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers);
    let status = 0;
    let text = '';
    stream.setEncoding('utf8');
    stream.on('response', (answer) => {
      status = answer[':status'] ?? 0;
    });
    stream.on('data', (chunk: string) => {
      text += chunk;
    });
    stream.on('end', () => resolve({ status, text }));
    stream.on('error', reject);
    stream.end(body);
  });
}
