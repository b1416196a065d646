/** Owner graphs for comparisons, made from a seed. */
import { createRandom, type Random } from '../../src/base/random.fixtures.ts';

export const KINDS = ['ConfigMap', 'Secret', 'Widget', 'Cluster'] as const;
export type GraphKind = (typeof KINDS)[number];

export interface GraphOwner {
  /** The index of the owner in the graph, or an owner that does not exist. */
  readonly owner: number | 'absent';
  readonly block: boolean;
}

export interface GraphObject {
  readonly kind: GraphKind;
  /** The owners that the object is created with: all have a smaller index. */
  readonly owners: readonly GraphOwner[];
  /** An owner with a greater index, which is added when that exists and closes a cycle. */
  readonly late: GraphOwner | undefined;
  /** Whether a finalizer keeps the object. */
  readonly held: boolean;
}

export interface GraphDeletion {
  /** The index of the object; the next one that still exists is taken. */
  readonly object: number;
  readonly policy: 'Background' | 'Foreground' | 'Orphan';
}

export interface Graph {
  readonly seed: number;
  readonly objects: readonly GraphObject[];
  /** One after the other; the state settles in between. */
  readonly deletions: readonly GraphDeletion[];
}

const DELETIONS = 3;

export function makeGraph(seed: number): Graph {
  const random = createRandom(seed);
  const size = 6 + random.int(9);
  const objects: GraphObject[] = [];
  for (let index = 0; index < size; index++) objects.push(makeObject(random, index, size, objects));
  const deletions = Array.from({ length: DELETIONS }, () => ({
    object: random.int(size),
    policy: random.pick(['Background', 'Background', 'Foreground', 'Orphan'] as const),
  }));
  return { seed, objects, deletions };
}

function makeObject(random: Random, index: number, size: number, before: readonly GraphObject[]): GraphObject {
  const kind = random.next() < 0.15 ? 'Cluster' : random.pick(KINDS.slice(0, 3));
  const count = index === 0 || random.next() < 0.2 ? 0 : 1 + random.int(2);
  const owners = new Map<number | 'absent', GraphOwner>();
  for (let i = 0; i < count; i++) {
    const owner = random.next() < 0.06 ? 'absent' : random.int(index);
    // A cluster-scoped object with a namespaced owner is left alone; one in a few graphs is enough.
    const isNamespaced = owner !== 'absent' && (before[owner] as GraphObject).kind !== 'Cluster';
    if (kind === 'Cluster' && isNamespaced && random.next() < 0.7) continue;
    owners.set(owner, { owner, block: random.next() < 0.6 });
  }
  const later = index + 1 + random.int(Math.max(1, size - index - 1));
  const late = kind !== 'Cluster' && later < size && random.next() < 0.08 ? { owner: later, block: true } : undefined;
  return { kind, owners: [...owners.values()], late, held: random.next() < 0.1 };
}
