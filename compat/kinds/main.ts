/**
 * Compares every built-in kind with the reference: valid objects, their mutations, updates, patches, status, other
 * subresources, deletes, tables, discovery.
 *
 * usage: npm run compat:kinds -- [--kind PLURAL,...] [--full | --short] [--replay | --record] [--all] [--verbose]
 *                                [--messages] [--seed N] [--self]
 *   --kind      only these (plural, or plural.group); sends everything, as --full does, unless --short is given
 *   --full      every request; default a sample of some dozens for each kind, chosen by the seed
 *   --replay    runs no reference: reads its answers from .cache/peers/answers, where an earlier run with --record wrote
 *               them (same --seed, same length). Much faster for work on one kind.
 *   --verbose   prints the request of each miss; --all prints every miss, not one of each sort
 *   --messages  prints differences of messages only
 *   --self      compares two references: every difference is noise of this suite
 * Aspects: verdict = code, reason and the set of (reason, field) causes; object = body of a success; table = columns
 * and cells; order = order of fields in the body; messages = texts. Fails below 97 % of verdicts, on any difference in
 * an object of a workload kind that known.ts does not list and that occurs twice, and on an entry of known.ts that no
 * longer occurs (--full). Every miss with its request is written to .cache/compat/kinds.log.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { differing, unlistedIds } from '../common/outcome.ts';
import { differingTwice } from '../common/twice.ts';
import type { JsonDict } from '../crds/schema.ts';
import { createClient } from '../diff/client.ts';
import { CURRENT, readFixtures } from '../golden/fixtures.ts';
import { startKeelson } from '../peers/keelson.ts';
import { startPair } from '../peers/pair.ts';
import { makeCredentials, type Peer } from '../peers/peer.ts';
import { ROOT } from '../peers/programs.ts';
import type { Plan } from './kind-requests.ts';
import { KNOWN } from './known.ts';
import { SUBJECTS } from './objects.ts';
import { judgeResults, printAspects, printKinds, printMisses } from './report.ts';
import { runSubjects } from './run.ts';
import type { Result, Session } from './session.ts';
import { nameOf, type Subject } from './subject.ts';

const REQUIRED = 0.97;
/** Kinds whose defaults operators compare. Their bodies must agree without exception. */
const WORKLOADS =
  /^(?:pods|podtemplates|replicationcontrollers|deployments|replicasets|statefulsets|daemonsets|jobs|cronjobs)[./]/;
/**
 * The plugin ServiceAccount needs a controller, so it is off for both. Privileged containers are an option of the
 * reference at start.
 */
const FLAGS = ['--disable-admission-plugins=ServiceAccount', '--allow-privileged=true'];
/** Enables every version. The reference has some kinds behind feature gates too, which have no effect on our server. */
const OPTIONAL_FLAGS = [
  '--runtime-config=api/all=true,certificates.k8s.io/v1beta1=true,certificates.k8s.io/v1alpha1=true,scheduling.k8s.io/v1alpha2=true,storagemigration.k8s.io/v1beta1=true',
  '--feature-gates=ClusterTrustBundle=true,PodCertificateRequest=true,StorageVersionMigrator=true,GenericWorkload=true',
];
const SHORT = { creates: 30, updates: 12, patches: 8, statuses: 8 };
const FULL = { creates: 1e9, updates: 1e9, patches: 1e9, statuses: 1e9 };
const TIMEOUT = 60_000;

const { values } = parseArgs({
  options: {
    kind: { type: 'string' },
    full: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    self: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    replay: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    all: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    messages: { type: 'boolean', default: false },
  },
});
const wanted = values.kind?.split(',');
const isWanted = ({ plural, group }: Subject): boolean =>
  wanted === undefined || wanted.some((name) => name === plural || name === `${plural}.${group}`);
const subjects = SUBJECTS.filter(isWanted);
if (subjects.length === 0) throw new Error(`no such kind; there are ${SUBJECTS.map(nameOf).join(', ')}`);
const full = !values.short && (values.full || wanted !== undefined);
const plan: Plan = { seed: Number(values.seed), ...(full ? FULL : SHORT) };

const started = performance.now();
const golden = readGolden();
const sessions: Session[] = [];
for (const optional of [false, true]) {
  const chosen = subjects.filter((subject) => (subject.optional ?? false) === optional);
  if (chosen.length > 0) sessions.push(...(await runAll(chosen, optional ? [...FLAGS, ...OPTIONAL_FLAGS] : FLAGS)));
}

const results = await differingTwice(
  sessions.flatMap((session) => session.results),
  {
    differing: differingWorkloads,
    partOf: ({ kind }) => kind,
    nameOf: ({ aspect, title }) => `${aspect} / ${title}`,
    run: async (kinds) => {
      const again = await runAll(
        subjects.filter((subject) => kinds.has(nameOf(subject))),
        FLAGS,
      );
      return again.flatMap((session) => session.results);
    },
  },
);
const { judged, outcome } = judgeResults(results, values.self);
printMisses(judged, values);
printKinds(judged);
const shares = printAspects(judged);
const requests = sessions.reduce((sum, session) => sum + session.requests, 0);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(`\n${subjects.length} kinds, ${requests} requests, seed ${plan.seed}; ${seconds} s`);
const defaults = differingWorkloads(results).length;
const verdicts = shares.get('verdict') ?? 0;
const complaints = [
  ...sessions.flatMap((session) => session.complaints),
  ...(verdicts < REQUIRED
    ? [`verdicts: agreement is ${(100 * verdicts).toFixed(2)} %, below ${100 * REQUIRED} %`]
    : []),
  ...(defaults > 0 ? [`${defaults} bodies of workload kinds differ`] : []),
  ...(values.full && wanted === undefined && !values.self
    ? outcome.stale.filter(isCommon).map((id) => `"${id}" is listed in compat/kinds/known.ts but no longer occurs`)
    : []),
  ...unlistedIds(KNOWN),
];
for (const complaint of complaints) console.log(`FAIL ${complaint}`);
const folder = join(ROOT, '.cache', 'compat');
mkdirSync(folder, { recursive: true });
const log = join(folder, 'kinds.log');
const misses = results.filter(({ differences }) => differences.length > 0);
writeFileSync(log, misses.map((one) => JSON.stringify(one)).join('\n'));
if (misses.length > 0) console.log(`every miss: ${log}`);
process.exitCode = complaints.length === 0 ? 0 : 1;

/** Returns the bodies of workload kinds with unknown differences. */
function differingWorkloads(some: readonly Result[]): Result[] {
  const workloads = some.filter(({ aspect, kind }) => aspect === 'object' && WORKLOADS.test(kind));
  return differing(judgeResults(workloads, values.self).judged);
}

function isCommon(id: string): boolean {
  return KNOWN.find((entry) => entry.id === id)?.isRare !== true;
}

/** The golden objects of this release, read once. */
function readGolden(): (subject: Subject) => JsonDict | undefined {
  const objects = new Map(
    readFixtures(join(ROOT, 'scripts', 'generate-kinds'))
      .filter(({ release }) => release === CURRENT)
      .map(({ group, version, kind, given }) => [`${group}/${version}/${kind}`, given.json]),
  );
  return ({ group, version, kind }) => {
    const json = objects.get(`${group}/${version}/${kind}`);
    return json === undefined ? undefined : (JSON.parse(json.toString('utf8')) as JsonDict);
  };
}

/** Starts the servers, sends all requests about these kinds, and stops them. */
async function runAll(chosen: readonly Subject[], flags: readonly string[]): Promise<Session[]> {
  const peers = await startPeers(flags);
  const candidate = createClient(peers.candidate, TIMEOUT);
  const reference = peers.reference === undefined ? undefined : createClient(peers.reference, TIMEOUT);
  try {
    return await runSubjects(chosen, { plan, candidate, reference, record: values.record, golden });
  } finally {
    candidate.close();
    reference?.close();
    await peers.stop();
  }
}

interface Peers {
  readonly reference: Peer | undefined;
  readonly candidate: Peer;
  stop(): Promise<void>;
}

async function startPeers(flags: readonly string[]): Promise<Peers> {
  if (!values.replay) return startPair(values.self ? 'reference' : 'keelson', flags);
  const credentials = mkdtempSync(join(tmpdir(), 'compat-kinds-'));
  const only = await startKeelson({ credentials: await makeCredentials(credentials), flags });
  return {
    reference: undefined,
    candidate: only,
    async stop() {
      await only.stop();
      rmSync(credentials, { recursive: true, force: true });
    },
  };
}
