/**
 * Updates with conflicts: 64 writers on 8 objects. Each writer reads an object, changes it and updates it at the
 * resourceVersion that it read. A conflict makes it read again.
 */
import { Client } from './crds/client.ts';
import { ask, configMapBody, type Side, withCpu } from './side.ts';

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
  const clients = Array.from({ length: CONNECTIONS }, () => new Client(side));
  let [succeeded, refused] = [0, 0];
  const write = async (writer: number): Promise<void> => {
    const client = clients[writer % CONNECTIONS] as Client;
    const path = paths[writer % OBJECTS] as string;
    for (let count = 0; succeeded < updates; count++) {
      const object = JSON.parse(await client.ask('GET', path)) as Stored;
      object.data['writer'] = `${writer}-${count}`;
      const { status, text } = await client.send('PUT', path, JSON.stringify(object));
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
    for (const client of clients) client.close();
  }
}

async function createTarget(side: Side, collection: string): Promise<string> {
  const text = await ask(side, 'POST', collection, JSON.parse(configMapBody()));
  return `${collection}/${(JSON.parse(text) as { metadata: { name: string } }).metadata.name}`;
}
