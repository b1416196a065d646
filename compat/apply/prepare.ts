/** The objects that every sequence needs: the namespace and the definitions of the custom kinds. */
import { ask, type Client } from '../diff/client.ts';
import { NAMESPACE } from './subject.ts';
import { DEFINITIONS } from './subjects/definitions.ts';

const TRIES = 400;
const WAIT_MS = 25;
const NOTHING: ReadonlyMap<string, string> = new Map();

/** Creates them and waits until the custom kinds are served. Throws if a server refuses one. */
export async function prepare(client: Client): Promise<void> {
  await create(client, '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  for (const definition of DEFINITIONS) {
    await create(client, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    const { group, names, versions } = definition['spec'] as {
      group: string;
      names: { plural: string };
      versions: { name: string }[];
    };
    for (const { name } of versions) await served(client, `/apis/${group}/${name}/${names.plural}`);
  }
}

async function create(client: Client, path: string, body: Readonly<Record<string, unknown>>): Promise<void> {
  const { status, text } = await ask(client, { method: 'POST', path, body }, NOTHING);
  if (status !== 201) throw new Error(`${client.peer.name} refuses to create ${path}: ${status} ${text}`);
}

async function served(client: Client, path: string): Promise<void> {
  for (let i = 0; i < TRIES; i++) {
    if ((await ask(client, { method: 'GET', path: `${path}?limit=1` }, NOTHING)).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  throw new Error(`${client.peer.name} does not serve ${path}`);
}
