/**
 * Runs programs that use `keelson/client` on kube-apiserver, on our server, and on our server over the in-process
 * transport, and compares what they see: results, errors, events. Every difference fails the suite, unless it does not occur again on fresh servers.
 *
 * usage: main.ts [--self] [--only NAME,...] [--print]
 *   --self    compares two references: every difference is noise of this suite
 *   --only    only the scenarios whose names contain one of these words
 *   --print   prints the transcript of the reference
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Transport } from '../../src/client/index.ts';
import { createClient, createDiscovery } from '../../src/client/index.ts';
import { Namespace } from '../../src/kinds/api/core/v1.ts';
import { connect, type KubeConnection } from '../../src/node/kubeconfig/connect.ts';
import { createNormaliser } from '../diff/normalise.ts';
import { type Candidate, onFreshPair } from '../peers/pair.ts';
import type { Credentials, Peer, TokenUser } from '../peers/peer.ts';
import { ROOT } from '../peers/programs.ts';
import { type Scenario, Transcript, type TranscriptEntry } from './scenario.ts';
import { custom } from './scenarios/custom.ts';
import { discovery } from './scenarios/discovery.ts';
import { lists } from './scenarios/lists.ts';
import { refusals } from './scenarios/refusals.ts';
import { subresources } from './scenarios/subresources.ts';
import { patches, writes } from './scenarios/verbs.ts';
import { watches } from './scenarios/watches.ts';

const SCENARIOS: readonly Scenario[] = [discovery, writes, patches, lists, watches, subresources, custom, refusals];

const USER_AGENT = 'compat-client/1';

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
  readonly server: string;
  readonly title: string;
  readonly reference: string;
  readonly other: string;
}

/** A server as scenarios see it. */
interface Host {
  readonly url: string;
  /** The transport of a user. `unknown` has a token that no server knows. */
  open(user: TokenUser | 'unknown'): Promise<Transport>;
  close(): Promise<void>;
}

function hostOf(peer: Peer): Host {
  const connections: KubeConnection[] = [];
  return {
    url: peer.url,
    open: async (user) => {
      const kubeconfig = peer.kubeconfig(user === 'unknown' ? 'admin' : user);
      const connection = await connect({ kubeconfig, userAgent: USER_AGENT });
      connections.push(connection);
      const { transport } = connection;
      if (user !== 'unknown') return transport;
      return (request) => transport({ ...request, headers: { ...request.headers, authorization: 'Bearer nobody' } });
    },
    close: async () => {
      for (const connection of connections) await connection.stop();
    },
  };
}

/** Our built server in this process. Its transport is that of an administrator. */
async function startInProcess({ signingKeyFile, publicKeyFile }: Credentials): Promise<Host> {
  const built = pathToFileURL(join(ROOT, 'dist', 'index.js')).href;
  const { startControlPlane } = (await import(built)) as typeof import('../../src/index.ts');
  const server = await startControlPlane({
    storage: 'memory',
    controllers: [],
    disableAdmission: ['ServiceAccount'],
    authentication: {
      serviceAccounts: { issuers: ['https://kubernetes.default.svc'], signingKeyFile, keyFiles: [publicKeyFile] },
    },
  });
  return {
    url: server.url,
    open: async () => (request) =>
      server.transport({ ...request, headers: { 'user-agent': USER_AGENT, ...request.headers } }),
    close: () => server.stop(),
  };
}

/** Runs one scenario on one server. A scenario that throws is a fault of the suite. */
async function play(scenario: Scenario, host: Host): Promise<readonly TranscriptEntry[]> {
  const client = createClient(await host.open('admin'));
  const namespace = `client-${SCENARIOS.indexOf(scenario)}`;
  await client.api(Namespace).create({ metadata: { name: namespace } });
  const normaliser = createNormaliser(host.url, Date.now());
  const transcript = new Transcript(normaliser);
  await scenario.run({
    client,
    discovery: createDiscovery(client),
    as: async (user) => createClient(await host.open(user)),
    namespace,
    normaliser,
    step: (title, call) => transcript.step(title, call),
    note: (title, value) => transcript.add(title, value),
  });
  return transcript.entries;
}

async function compare(scenarios: readonly Scenario[], isFirst: boolean): Promise<readonly Difference[]> {
  return onFreshPair(candidate, ['--disable-admission-plugins=ServiceAccount'], async (pair) => {
    const hosts = [
      hostOf(pair.reference),
      hostOf(pair.candidate),
      await startInProcess(pair.reference.credentials),
    ] as const;
    const differences: Difference[] = [];
    try {
      for (const scenario of scenarios) {
        const started = performance.now();
        // The users of the token file exist on the servers with sockets only.
        const compared = scenario === refusals ? hosts.slice(0, 2) : hosts;
        const [reference = [], ...others] = await Promise.all(compared.map((host) => play(scenario, host)));
        const found = others.flatMap((other, i) =>
          differencesOf(scenario.name, i === 0 ? candidate : 'in-process', reference, other),
        );
        const seconds = ((performance.now() - started) / 1000).toFixed(1);
        console.log(`${scenario.name}: ${reference.length} steps, ${found.length} differ; ${seconds} s`);
        if (values.print && isFirst) for (const { title, text } of reference) console.log(`--- ${title}\n${text}`);
        differences.push(...found);
      }
    } finally {
      for (const host of hosts) await host.close();
    }
    return differences;
  });
}

function differencesOf(
  scenario: string,
  server: string,
  reference: readonly TranscriptEntry[],
  other: readonly TranscriptEntry[],
): readonly Difference[] {
  const titles = new Set([...reference, ...other].map(({ title }) => title));
  const textOf = (entries: readonly TranscriptEntry[], title: string): string =>
    entries.find((entry) => entry.title === title)?.text ?? '(missing)';
  return [...titles].flatMap((title) => {
    const [expected, actual] = [textOf(reference, title), textOf(other, title)];
    return expected === actual ? [] : [{ scenario, server, title, reference: expected, other: actual }];
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
    second.some(
      ({ scenario, server, title }) => scenario === one.scenario && server === one.server && title === one.title,
    );
  for (const one of first)
    if (!isAgain(one)) console.log(`differed once, and not again: ${one.server}, ${one.scenario} / ${one.title}`);
  confirmed = first.filter(isAgain);
}
for (const { scenario, server, title, reference, other } of confirmed)
  console.log(`\nFAIL ${server}, ${scenario} / ${title}\n${lineDifferences(reference, other)}`);
console.log(`${chosen.length} scenarios, ${confirmed.length} steps that differ`);
process.exitCode = confirmed.length === 0 ? 0 : 1;

/** The lines that only one text has. The texts are sorted JSON, one value per line. */
function lineDifferences(reference: string, other: string): string {
  const [a, b] = [reference.split('\n'), other.split('\n')];
  const only = (lines: readonly string[], others: readonly string[], mark: string): string[] =>
    lines.filter((line) => !others.includes(line)).map((line) => `${mark} ${line}`);
  const lines = [...only(a, b, '- reference:'), ...only(b, a, '+ other:    ')];
  return (lines.length === 0 ? [`- reference: ${reference}`, `+ other:     ${other}`] : lines).slice(0, 60).join('\n');
}
