/** Runs graphs on two servers in the same steps, and compares the states in which they settle. */
import type { Graph, GraphObject } from './graph.ts';
import { type GraphSide, type GraphState, nameOf } from './side.ts';

export interface GraphResult {
  readonly graph: Graph;
  /** One line per difference. Empty: the servers agree. */
  readonly differences: readonly string[];
}

/** The time for which a state must not change, and the time after which differing states count as settled. */
const CALM_MS = 1500;
const PATIENCE_MS = 45_000;
const POLL_MS = 300;

export async function runGraphs(
  sides: readonly [GraphSide, GraphSide],
  graphs: readonly Graph[],
): Promise<readonly GraphResult[]> {
  const differences = new Map<Graph, string[]>(graphs.map((graph) => [graph, []]));
  const both = async (work: (side: GraphSide) => Promise<void>): Promise<void> => {
    await Promise.all(sides.map(work));
  };
  const compare = async (step: string): Promise<GraphState> => {
    const [reference, candidate] = await settle(sides);
    for (const graph of graphs) {
      const found = differing(graph, reference, candidate);
      for (const line of found) differences.get(graph)?.push(`${step}: ${line}`);
    }
    return reference;
  };

  for (const side of sides) await side.follow();
  await both(async (side) => {
    for (const graph of graphs) await side.create(graph);
  });
  let state = await compare('created');
  const rounds = graphs[0]?.deletions.length ?? 0;
  for (let round = 0; round < rounds; round++) {
    const before = state;
    const deleted = new Map<Graph, number>();
    await both(async (side) => {
      for (const graph of graphs) {
        const deletion = graph.deletions[round];
        const index = deletion === undefined ? undefined : await side.delete(graph, deletion, before);
        if (index !== undefined) deleted.set(graph, index);
      }
    });
    state = await compare(`deletion ${round + 1}`);
    for (const [graph, index] of deleted)
      if (graph.deletions[round]?.policy === 'Foreground')
        for (const side of sides) differences.get(graph)?.push(...misplaced(side, graph, index, before));
  }
  await both(async (side) => {
    for (const graph of graphs) await side.deleteNamespace(graph);
  });
  await compare('namespace deleted');
  await both(async (side) => {
    for (const graph of graphs) await side.release(graph);
  });
  await compare('released');
  return graphs.map((graph) => ({ graph, differences: differences.get(graph) ?? [] }));
}

/** Waits until both states are calm and equal, or calm for a long time. */
async function settle(sides: readonly [GraphSide, GraphSide]): Promise<[GraphState, GraphState]> {
  const began = performance.now();
  let last = '';
  let since = began;
  for (;;) {
    const [reference, candidate] = await Promise.all([sides[0].state(), sides[1].state()]);
    const [a, b] = [textOf(reference), textOf(candidate)];
    const now = performance.now();
    if (`${a}\n---\n${b}` !== last) since = now;
    last = `${a}\n---\n${b}`;
    const isCalm = now - since >= CALM_MS;
    if ((isCalm && a === b) || now - began > PATIENCE_MS) return [reference, candidate];
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function textOf(state: GraphState): string {
  return [...state]
    .map(([name, value]) => `${name} ${value}`)
    .sort()
    .join('\n');
}

function differing(graph: Graph, reference: GraphState, candidate: GraphState): string[] {
  const own = (name: string): boolean => name.startsWith(`g${graph.seed}-`) || name === `namespace graph-${graph.seed}`;
  const names = [...new Set([...reference.keys(), ...candidate.keys()])].filter(own).sort();
  return names
    .filter((name) => reference.get(name) !== candidate.get(name))
    .map((name) => `${name}: ${reference.get(name) ?? 'gone'} on the reference, ${candidate.get(name) ?? 'gone'} here`);
}

/**
 * The blocking dependents that were deleted after their owner, although it was deleted in the foreground. Graphs with
 * cycles are left out: to break one, dependents are made non-blocking.
 */
function misplaced(side: GraphSide, graph: Graph, owner: number, before: GraphState): string[] {
  if (graph.objects.some(({ late }) => late !== undefined)) return [];
  const gone = side.deletedAt.get(nameOf(graph, owner));
  if (gone === undefined) return [];
  return graph.objects.flatMap((object: GraphObject, index) => {
    const name = nameOf(graph, index);
    const blocks = object.owners.some((reference) => reference.owner === owner && reference.block);
    const wasOwned = before.get(name)?.includes(`${nameOf(graph, owner)}!`) === true;
    const deleted = side.deletedAt.get(name);
    return blocks && wasOwned && deleted !== undefined && deleted > gone && isOnlyOwner(object)
      ? [`order on ${side.name}: ${name} was deleted after ${nameOf(graph, owner)}`]
      : [];
  });
}

/** With several owners the dependent may lose its reference, and go later for another reason. */
function isOnlyOwner({ owners }: GraphObject): boolean {
  return owners.length === 1;
}
