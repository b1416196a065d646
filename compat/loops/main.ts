/**
 * Garbage collection and namespace deletion of our loops, compared with the reference and kube-controller-manager over
 * generated owner graphs: the same survivors with the same owners and finalizers after each deletion, the same
 * conditions of namespaces, and blocking dependents before their owners. A difference counts if it occurs again on
 * fresh servers.
 *
 * usage: main.ts [--graphs N] [--seed N] [--self]
 *   --graphs N   the number of graphs (default 20)
 *   --seed N     the seed of the first graph (default 1)
 *   --self       compares two references: every difference is noise of this suite
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ControllerManager, startControllerManager } from '../peers/controller-manager.ts';
import { startKeelson } from '../peers/keelson.ts';
import { makeCredentials, type Peer } from '../peers/peer.ts';
import { startReference } from '../peers/reference.ts';
import { type Graph, makeGraph } from './graph.ts';
import { type GraphResult, runGraphs } from './run.ts';
import { defineKinds, GraphSide, openClient } from './side.ts';

const { values } = parseArgs({
  options: {
    graphs: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    self: { type: 'boolean', default: false },
  },
});
const LOOPS = ['garbage-collector-controller', 'namespace-controller'];
/** Graphs on one pair of servers at a time. */
const AT_ONCE = 50;

async function runOnFreshServers(graphs: readonly Graph[]): Promise<readonly GraphResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'compat-loops-'));
  const stops: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const open = async (starting: Promise<Peer>, withManager: boolean): Promise<GraphSide> => {
    const peer = await starting;
    stops.push(() => peer.stop());
    const { client, stop } = await openClient(peer);
    stops.push(stop);
    await defineKinds(client);
    if (withManager) {
      const flags = ['--kube-api-qps=1000', '--kube-api-burst=1000'];
      const manager: ControllerManager = await startControllerManager(peer, LOOPS, flags);
      stops.push(() => manager.stop());
    }
    const side = new GraphSide(peer.name, client);
    stops.push(() => side.stop());
    return side;
  };
  try {
    const credentials = await makeCredentials(folder);
    const reference = await open(startReference({ credentials }), true);
    const candidate = values.self
      ? await open(startReference({ credentials, name: 'reference-2' }), true)
      : await open(startKeelson({ credentials, controllers: LOOPS.join(',') }), false);
    return await runGraphs([reference, candidate], graphs);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

async function run(graphs: readonly Graph[]): Promise<readonly GraphResult[]> {
  const results: GraphResult[] = [];
  for (let from = 0; from < graphs.length; from += AT_ONCE)
    results.push(...(await runOnFreshServers(graphs.slice(from, from + AT_ONCE))));
  return results;
}

const began = performance.now();
const first = Number(values.seed);
const graphs = Array.from({ length: Number(values.graphs) }, (_, i) => makeGraph(first + i));
const once = (await run(graphs)).filter(({ differences }) => differences.length > 0);
for (const { graph, differences } of once) console.log(`graph ${graph.seed}\n  ${differences.join('\n  ')}`);
const twice =
  once.length === 0
    ? []
    : (await run(once.map(({ graph }) => graph))).filter(({ differences }) => differences.length > 0);
for (const { graph, differences } of twice) console.log(`again: graph ${graph.seed}\n  ${differences.join('\n  ')}`);
const objects = graphs.reduce((sum, graph) => sum + graph.objects.length, 0);
const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.log(
  `${graphs.length - twice.length} of ${graphs.length} graphs agree (${objects} objects, ${graphs.length * 3} deletions, ${graphs.length} namespaces; ${once.length - twice.length} differed once); ${seconds} s`,
);
process.exit(twice.length === 0 ? 0 : 1);
