/**
 * Runs programs that use `keelson/client` on our server and on kube-apiserver, and compares what they see: results,
 * errors, events. Every difference fails the suite, unless it does not occur again on fresh servers.
 *
 * usage: main.ts [--self] [--only NAME,...] [--print]
 *   --self    compares two references: every difference is noise of this suite
 *   --only    only the scenarios whose names contain one of these words
 *   --print   prints the transcript of the reference
 */
import { parseArgs } from 'node:util';
import { createClient, createDiscovery } from '../../src/client/index.ts';
import { Namespace } from '../../src/kinds/api/core/v1.ts';
import { connect, type KubeConnection } from '../../src/node/kubeconfig/connect.ts';
import { createNormaliser } from '../diff/normalise.ts';
import { type Candidate, onFreshPair } from '../peers/pair.ts';
import type { Peer } from '../peers/peer.ts';
import { type Scenario, Transcript, type TranscriptEntry } from './scenario.ts';
import { custom } from './scenarios/custom.ts';
import { discovery } from './scenarios/discovery.ts';
import { lists } from './scenarios/lists.ts';
import { refusals } from './scenarios/refusals.ts';
import { subresources } from './scenarios/subresources.ts';
import { patches, writes } from './scenarios/verbs.ts';
import { watches } from './scenarios/watches.ts';

const SCENARIOS: readonly Scenario[] = [discovery, writes, patches, lists, watches, subresources, custom, refusals];

const { values } = parseArgs({
  options: {
    self: { type: 'boolean', default: false },
    only: { type: 'string' },
    print: { type: 'boolean', default: false },
  },
});
const words = values.only?.split(',') ?? [];
const candidate: Candidate = values.self ? 'reference' : 'keelson';
const chosen = SCENARIOS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));

interface Difference {
  readonly scenario: string;
  readonly title: string;
  readonly reference: string;
  readonly candidate: string;
}

/** Runs one scenario on one server. A scenario that throws is a fault of the suite. */
async function play(scenario: Scenario, peer: Peer): Promise<readonly TranscriptEntry[]> {
  const connections: KubeConnection[] = [];
  const open = async (kubeconfig: string): Promise<KubeConnection> => {
    const connection = await connect({ kubeconfig, userAgent: 'compat-client' });
    connections.push(connection);
    return connection;
  };
  try {
    const admin = peer.kubeconfig('admin');
    const client = createClient((await open(admin)).transport);
    const namespace = `client-${SCENARIOS.indexOf(scenario)}`;
    await client.api(Namespace).create({ metadata: { name: namespace } });
    const normaliser = createNormaliser(peer.url, Date.now());
    const transcript = new Transcript(normaliser);
    await scenario.run({
      client,
      discovery: createDiscovery(client),
      as: async (user) => {
        if (user !== 'unknown') return createClient((await open(peer.kubeconfig(user))).transport);
        const { transport } = await open(admin);
        return createClient((request) =>
          transport({ ...request, headers: { ...request.headers, authorization: 'Bearer nobody' } }),
        );
      },
      namespace,
      normaliser,
      step: (title, call) => transcript.step(title, call),
      note: (title, value) => transcript.add(title, value),
    });
    return transcript.entries;
  } finally {
    for (const connection of connections) await connection.stop();
  }
}

async function compare(scenarios: readonly Scenario[], isFirst: boolean): Promise<readonly Difference[]> {
  return onFreshPair(candidate, ['--disable-admission-plugins=ServiceAccount'], async (pair) => {
    const differences: Difference[] = [];
    for (const scenario of scenarios) {
      const started = performance.now();
      const [reference, other] = await Promise.all([play(scenario, pair.reference), play(scenario, pair.candidate)]);
      const found = differencesOf(scenario.name, reference, other);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${scenario.name}: ${reference.length} steps, ${found.length} differ; ${seconds} s`);
      if (values.print && isFirst) for (const { title, text } of reference) console.log(`--- ${title}\n${text}`);
      differences.push(...found);
    }
    return differences;
  });
}

function differencesOf(
  scenario: string,
  reference: readonly TranscriptEntry[],
  other: readonly TranscriptEntry[],
): readonly Difference[] {
  const titles = new Set([...reference, ...other].map(({ title }) => title));
  const textOf = (entries: readonly TranscriptEntry[], title: string): string =>
    entries.find((entry) => entry.title === title)?.text ?? '(missing)';
  return [...titles].flatMap((title) => {
    const [expected, actual] = [textOf(reference, title), textOf(other, title)];
    return expected === actual ? [] : [{ scenario, title, reference: expected, candidate: actual }];
  });
}

const first = await compare(chosen, true);
let confirmed: readonly Difference[] = [];
if (first.length > 0) {
  const names = new Set(first.map(({ scenario }) => scenario));
  console.log('\nonce more on fresh servers:');
  const second = await compare(
    chosen.filter(({ name }) => names.has(name)),
    false,
  );
  const isAgain = (one: Difference): boolean =>
    second.some(({ scenario, title }) => scenario === one.scenario && title === one.title);
  for (const one of first)
    if (!isAgain(one)) console.log(`differed once, and not again: ${one.scenario} / ${one.title}`);
  confirmed = first.filter(isAgain);
}
for (const { scenario, title, reference, candidate: other } of confirmed)
  console.log(`\nFAIL ${scenario} / ${title}\n${lineDifferences(reference, other)}`);
console.log(`${chosen.length} scenarios, ${confirmed.length} steps that differ`);
process.exitCode = confirmed.length === 0 ? 0 : 1;

/** The lines that only one text has. The texts are sorted JSON, one value per line. */
function lineDifferences(reference: string, other: string): string {
  const [a, b] = [reference.split('\n'), other.split('\n')];
  const only = (lines: readonly string[], others: readonly string[], mark: string): string[] =>
    lines.filter((line) => !others.includes(line)).map((line) => `${mark} ${line}`);
  const lines = [...only(a, b, '- reference:'), ...only(b, a, '+ keelson:  ')];
  return (lines.length === 0 ? [`- reference: ${reference}`, `+ keelson:   ${other}`] : lines).slice(0, 60).join('\n');
}
