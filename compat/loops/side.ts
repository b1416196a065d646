/** One server of the comparison with its loops: creates graphs, deletes objects, and says what is left. */
import { isNotFound } from '../../src/apimachinery/status/status.ts';
import type { Api, Client } from '../../src/client/api.ts';
import { createClient } from '../../src/client/create-client.ts';
import type { Stored, UntypedObject } from '../../src/client/object-types.ts';
import { untypedKind } from '../../src/client/untyped-kind.ts';
import { Namespace } from '../../src/kinds/api/core/v1.ts';
import type { OwnerReference } from '../../src/kinds/api/meta/v1.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { connect } from '../../src/node/kubeconfig/connect.ts';
import type { Peer } from '../peers/peer.ts';
import type { Graph, GraphDeletion, GraphKind, GraphObject, GraphOwner } from './graph.ts';

const GROUP = 'loops.example.com';
const HOLD = 'example.com/hold';

const TOKENS: Readonly<Record<GraphKind, Kind<UntypedObject>>> = {
  ConfigMap: untypedKind({ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced' }),
  Secret: untypedKind({ group: '', version: 'v1', kind: 'Secret', plural: 'secrets', scope: 'Namespaced' }),
  Widget: untypedKind({ group: GROUP, version: 'v1', kind: 'Widget', plural: 'widgets', scope: 'Namespaced' }),
  Cluster: untypedKind({ group: GROUP, version: 'v1', kind: 'Cluster', plural: 'clusters', scope: 'Cluster' }),
};
const DEFINITION = untypedKind({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
});

/** Creates the definitions of the custom kinds, before the loops start. */
export async function defineKinds(client: Client): Promise<void> {
  for (const { plural, kind, scope } of [TOKENS.Widget, TOKENS.Cluster]) {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await client.api(DEFINITION).create({
      metadata: { name: `${plural}.${GROUP}` },
      spec: {
        group: GROUP,
        scope,
        names: { plural, kind },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
  }
}

export async function openClient(peer: Peer): Promise<{ readonly client: Client; stop(): Promise<void> }> {
  const connection = await connect({ kubeconfig: peer.kubeconfig('admin') });
  return { client: createClient(connection.transport), stop: () => connection.stop() };
}

export class GraphSide {
  readonly name: string;
  readonly #client: Client;
  /** Uids by `seed/index`. */
  readonly #uids = new Map<string, string>();
  readonly #stopping = new AbortController();
  /** The revision at which an object was deleted, by its name. */
  readonly deletedAt: Map<string, bigint> = new Map();

  constructor(name: string, client: Client) {
    this.name = name;
    this.#client = client;
  }

  /** Records the order of deletions until `stop`. */
  async follow(): Promise<void> {
    for (const token of Object.values(TOKENS)) {
      const { resourceVersion } = await this.#client.all(token).listPage({ limit: 1 });
      void this.#record(token, resourceVersion);
    }
  }

  stop(): void {
    this.#stopping.abort();
  }

  async create(graph: Graph): Promise<void> {
    await this.#client.api(Namespace).create({ metadata: { name: namespaceOf(graph) } });
    for (const [index, object] of graph.objects.entries()) {
      const ownerReferences = object.owners.map((owner) => this.#reference(graph, owner));
      const finalizers = object.held ? [HOLD] : [];
      const metadata = {
        name: nameOf(graph, index),
        labels: { graph: namespaceOf(graph) },
        ownerReferences,
        finalizers,
      };
      const { uid } = (await this.#api(graph, object.kind).create({ metadata })).metadata;
      this.#uids.set(`${graph.seed}/${index}`, uid);
    }
    for (const [index, object] of graph.objects.entries())
      if (object.late !== undefined) await this.#addLate(graph, index, object);
  }

  /** Resolves with the index of the deleted object, which is the first from the given one on that exists. */
  async delete(graph: Graph, { object, policy }: GraphDeletion, state: GraphState): Promise<number | undefined> {
    const { length } = graph.objects;
    for (let i = 0; i < length; i++) {
      const index = (object + i) % length;
      const now = state.get(nameOf(graph, index));
      if (now === undefined || now.startsWith('deleting')) continue;
      const { kind } = graph.objects[index] as GraphObject;
      await this.#api(graph, kind).delete(nameOf(graph, index), { propagationPolicy: policy });
      return index;
    }
    return undefined;
  }

  async release(graph: Graph): Promise<void> {
    for (const [index, { kind, held }] of graph.objects.entries()) {
      const api = this.#api(graph, kind);
      const found = held ? await api.find(nameOf(graph, index)) : undefined;
      if (found === undefined) continue;
      const finalizers = (found.metadata.finalizers ?? []).filter((name) => name !== HOLD);
      await patchMetadata(api, nameOf(graph, index), { finalizers });
    }
  }

  async deleteNamespace(graph: Graph): Promise<void> {
    await this.#client.api(Namespace).delete(namespaceOf(graph));
  }

  /** The states of all objects and namespaces of all graphs. */
  async state(): Promise<GraphState> {
    const state = new Map<string, string>();
    const objects = new Map<string, Stored<UntypedObject>>();
    for (const token of Object.values(TOKENS))
      for await (const object of this.#client.all(token).list({ labelSelector: 'graph' }))
        objects.set(object.metadata.name, object);
    for (const [name, object] of objects)
      state.set(
        name,
        shown(object, (owner) => objects.has(owner)),
      );
    for await (const namespace of this.#client.api(Namespace).list()) {
      const { name, deletionTimestamp } = namespace.metadata;
      if (deletionTimestamp === undefined || !name.startsWith('graph-')) continue;
      const problems = (namespace.status?.conditions ?? []).filter(({ status }) => status === 'True');
      state.set(
        `namespace ${name}`,
        problems
          .map(({ type, message }) => `${type}: ${message}`)
          .sort()
          .join('; '),
      );
    }
    return state;
  }

  async #record(token: Kind<UntypedObject>, resourceVersion: string): Promise<void> {
    const { signal } = this.#stopping;
    let from = resourceVersion;
    while (!signal.aborted) {
      try {
        for await (const event of this.#client
          .all(token)
          .watch({ resourceVersion: from, signal, labelSelector: 'graph' })) {
          if (event.type === 'ERROR' || event.type === 'BOOKMARK') continue;
          const { name, resourceVersion: revision } = event.object.metadata;
          from = revision;
          if (event.type === 'DELETED') this.deletedAt.set(name, BigInt(revision));
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  }

  async #addLate(graph: Graph, index: number, { kind, late }: GraphObject): Promise<void> {
    const api = this.#api(graph, kind);
    const object = await api.find(nameOf(graph, index));
    if (object === undefined || late === undefined) return;
    const ownerReferences = [...(object.metadata.ownerReferences ?? []), this.#reference(graph, late)];
    await patchMetadata(api, nameOf(graph, index), { ownerReferences });
  }

  #reference(graph: Graph, { owner, block }: GraphOwner): OwnerReference {
    if (owner === 'absent') {
      const uid = '00000000-0000-4000-8000-000000000000';
      return { apiVersion: 'v1', kind: 'ConfigMap', name: 'absent', uid, blockOwnerDeletion: block };
    }
    const { kind, group, version } = TOKENS[(graph.objects[owner] as GraphObject).kind];
    return {
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind,
      name: nameOf(graph, owner),
      uid: this.#uids.get(`${graph.seed}/${owner}`) ?? '',
      blockOwnerDeletion: block,
    };
  }

  #api(graph: Graph, kind: GraphKind): Api<UntypedObject> {
    const token = TOKENS[kind];
    return this.#client.api(token, token.scope === 'Namespaced' ? namespaceOf(graph) : undefined);
  }
}

/** The loops may have deleted the object meanwhile. */
async function patchMetadata(api: Api<UntypedObject>, name: string, metadata: object): Promise<void> {
  try {
    await api.patch(name, { type: 'merge', body: { metadata } });
  } catch (caught) {
    if (!isNotFound(caught)) throw caught;
  }
}

/** By name: the state of each object that exists, as a text that both servers can have in common. */
export type GraphState = ReadonlyMap<string, string>;

export function namespaceOf({ seed }: Graph): string {
  return `graph-${seed}`;
}

export function nameOf({ seed }: Graph, index: number): string {
  return `g${seed}-${index}`;
}

/**
 * References of an object that is being deleted to owners that are gone are left out: the collector removes them only
 * if it sees the object before it is marked, which the time between two deletions decides.
 */
function shown({ metadata }: Stored<UntypedObject>, exists: (owner: string) => boolean): string {
  const phase = metadata.deletionTimestamp === undefined ? 'present' : 'deleting';
  const owners = (metadata.ownerReferences ?? [])
    .filter(({ name }) => phase === 'present' || exists(name))
    .map(({ name, blockOwnerDeletion }) => `${name}${blockOwnerDeletion ? '!' : ''}`);
  return [phase, `owners=${owners.sort().join()}`, `finalizers=${[...(metadata.finalizers ?? [])].sort().join()}`].join(
    ' ',
  );
}
