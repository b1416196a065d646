/** Objects of every kind: the stubs of upstream's integration tests, and custom resources of two versions. */
import type { JsonObject } from '../../src/base/json-value.ts';
import { readStubs } from '../apply/stubs.ts';
import { ask, type Client } from '../diff/client.ts';

export const NAMESPACE = 'backup-objects';
const NONE: ReadonlyMap<string, string> = new Map();

interface DiscoveredResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** A resource that can be listed, by the path of its list in all namespaces. */
export interface ListedResource {
  readonly path: string;
  readonly groupVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespaced: boolean;
  readonly canCreate: boolean;
}

/** How often a new custom resource is asked for until its storage is ready, 200 ms apart. */
const TRIES = 50;

/** Reads a document. Throws for any answer but 200. */
export async function getJson(client: Client, path: string): Promise<JsonObject> {
  for (let tries = 0; ; tries++) {
    const { status, text } = await ask(client, { method: 'GET', path }, NONE);
    if (status === 200) return JSON.parse(text) as JsonObject;
    if (status !== 429 || tries === TRIES)
      throw new Error(`${client.peer.name}: GET ${path}: ${status} ${text.slice(0, 300)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** The resources of every version of every group, by discovery. */
export async function listedResources(client: Client): Promise<readonly ListedResource[]> {
  const groups = (await getJson(client, '/apis')) as unknown as {
    groups: { versions: { groupVersion: string }[] }[];
  };
  const versions = ['v1', ...groups.groups.flatMap((group) => group.versions.map((version) => version.groupVersion))];
  const found: ListedResource[] = [];
  for (const groupVersion of versions) {
    const root = groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`;
    const answer = await ask(client, { method: 'GET', path: root }, NONE);
    // The stub of an APIService names a server that does not exist.
    if (answer.status !== 200) continue;
    const { resources } = JSON.parse(answer.text) as { resources: DiscoveredResource[] };
    for (const { name, kind, namespaced, verbs } of resources) {
      // Component statuses are made for each request and never stored.
      if (!verbs.includes('list') || name.includes('/') || name === 'componentstatuses') continue;
      found.push({
        path: `${root}/${name}`,
        groupVersion,
        kind,
        name,
        namespaced,
        canCreate: verbs.includes('create'),
      });
    }
  }
  return found;
}

/** Two versions, defaults, a column: what the definition of a real project has. */
export const SAILS: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'sails.backup.example.com' },
  spec: {
    group: 'backup.example.com',
    scope: 'Namespaced',
    names: { plural: 'sails', singular: 'sail', kind: 'Sail', listKind: 'SailList' },
    versions: ['v1', 'v1beta1'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      subresources: { status: {} },
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              properties: { area: { type: 'integer', default: 12 }, cloth: { type: 'string' } },
            },
            status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      },
      additionalPrinterColumns: [{ name: 'Area', type: 'integer', jsonPath: '.spec.area' }],
    })),
  },
};

/** Creates everything. Returns how many objects the server accepted. */
export async function createEveryKind(client: Client): Promise<number> {
  let created = 0;
  const create = async (path: string, body: JsonObject): Promise<boolean> => {
    const answer = await ask(client, { method: 'POST', path, body }, NONE);
    if (answer.status === 201) created++;
    return answer.status === 201;
  };
  const must = async (path: string, body: JsonObject): Promise<void> => {
    if (!(await create(path, body))) throw new Error(`the reference refuses ${JSON.stringify(body)}`);
  };
  await must('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await must('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', SAILS);
  const stubs = readStubs(NAMESPACE);
  for (const resource of await listedResources(client)) {
    const stub = stubs.objects.get(stubKey(resource));
    if (stub === undefined || !resource.canCreate) continue;
    const body = { apiVersion: resource.groupVersion, kind: resource.kind, ...stub };
    await create(collectionOf(resource), body);
  }
  for (let i = 0; i < 3; i++)
    await must(`/apis/backup.example.com/${i === 0 ? 'v1beta1' : 'v1'}/namespaces/${NAMESPACE}/sails`, {
      apiVersion: `backup.example.com/${i === 0 ? 'v1beta1' : 'v1'}`,
      kind: 'Sail',
      metadata: { name: `sail-${i}`, labels: { rig: 'gaff' } },
      spec: i === 2 ? {} : { area: i, cloth: 'ünïcode 🚢' },
    });
  return created;
}

/** Returns the path of the resource's collection in the suite's namespace, or the only one if it is not namespaced. */
export function collectionOf({ path, name, namespaced }: ListedResource): string {
  return namespaced ? `${path.slice(0, -name.length)}namespaces/${NAMESPACE}/${name}` : path;
}

/** Returns the key of a resource in the stubs. */
export function stubKey({ groupVersion, name }: ListedResource): string {
  return `${groupVersion === 'v1' ? '/v1' : groupVersion}/${name}`;
}
