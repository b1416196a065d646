/**
 * Compares CRDs of public projects and their objects on the reference and our server.
 *
 * usage: main.ts [--full] [--self | --only-reference] [--project NAME,...] [--crd TEXT] [--seed N] [--shrinks N]
 *                [--all] [--messages]
 *   --full            every CRD of the corpus and thousands of mutated objects; default a few CRDs of each project
 *   --self            compares two references: every difference is noise of this suite
 *   --only-reference  sends requests only to the reference and prints what it accepted
 *   --project, --crd  only these projects, only CRDs whose name contains the text
 *   --all             prints every miss, not one of each sort; --messages prints differences of messages only
 * Fails below 99 % agreement in any aspect but messages, on a difference about a definition that known.ts does not list
 * and that occurs twice, and if the TypeScript types of the whole corpus do not compile or do not fit its objects.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { differing, unlistedIds } from '../common/outcome.ts';
import { differingTwice } from '../common/twice.ts';
import { startPair } from '../peers/pair.ts';
import { makeCredentials, type Peer } from '../peers/peer.ts';
import { ROOT } from '../peers/programs.ts';
import { startReference } from '../peers/reference.ts';
import { KNOWN } from './known.ts';
import { prepareCorpus, type Subject } from './prepare.ts';
import { judgeResults, printAspects, printMisses, printProjects } from './report.ts';
import { type RunOptions, runSubjects } from './run.ts';
import { type Result, Session } from './session.ts';
import { checkTypes } from './types.ts';

const REQUIRED = 0.99;
const SHORT_PER_PROJECT = 2;
/** The maximum length of a definition in the short form. The reference needs seconds for the largest. */
const SHORT_SIZE = 120_000;
/**
 * The number of CRDs after which both servers are restarted. The reference generates its documents again for each
 * definition, which takes all its time with hundreds of them.
 */
const BATCH = 70;

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    self: { type: 'boolean', default: false },
    'only-reference': { type: 'boolean', default: false },
    project: { type: 'string' },
    crd: { type: 'string' },
    seed: { type: 'string', default: '1' },
    shrinks: { type: 'string', default: '25' },
    all: { type: 'boolean', default: false },
    messages: { type: 'boolean', default: false },
  },
});

const partial = values.project !== undefined || values.crd !== undefined;
const corpus = await prepareCorpus();
const subjects = choose(corpus);
if (subjects.length === 0) throw new Error('no such CRDs');
const started = performance.now();
const options: RunOptions = {
  plan: {
    creates: values.full ? 5 : 3,
    updates: values.full ? 4 : 2,
    examples: values.full ? 4 : 1,
    seed: Number(values.seed),
    shrinks: { left: Number(values.shrinks), seen: new Set() },
  },
  ratchetEvery: values.full ? 2 : 5,
  broken: values.full ? 3 : 2,
};
const session = await runAll(subjects);

const projects = new Set(subjects.map(({ project }) => project)).size;
const seconds = ((performance.now() - started) / 1000).toFixed(1);
if (values['only-reference']) {
  const { accepted, refused, mutated } = session;
  console.log(session.summary());
  console.log(
    `${subjects.length} CRDs of ${projects} projects: ${accepted} requests about objects accepted, ${refused} refused, ${mutated} mutated objects; ${seconds} s`,
  );
} else {
  const results = await differingTwice(session.results, {
    differing: differingDefinitions,
    partOf: ({ crd }) => crd,
    nameOf: ({ aspect, title }) => `${aspect} / ${title}`,
    run: async (crds) => (await runAll(subjects.filter(({ name }) => crds.has(name)))).results,
  });
  const { judged, outcome } = judgeResults(results, values.self);
  printMisses(judged, values.all, values.messages);
  printProjects(judged);
  const shares = printAspects(judged);
  console.log(
    `\n${subjects.length} CRDs of ${projects} projects, ${session.mutated} mutated objects, ${session.accepted} requests accepted and ${session.refused} refused by the reference; ${seconds} s`,
  );
  console.log(session.summary());
  const definitions = differingDefinitions(results).length;
  const types = checkTypes(corpus);
  console.log(`types of ${types.definitions} CRDs: ${types.lines} lines, fit ${types.objects} objects`);
  const complaints = [
    ...shares
      .filter(({ aspect, share }) => aspect !== 'messages' && share < REQUIRED)
      .map(({ aspect, share }) => `${aspect}: agreement is ${(100 * share).toFixed(2)} %, below ${100 * REQUIRED} %`),
    ...(definitions > 0 ? [`${definitions} definitions differ in ways that compat/crds/known.ts does not list`] : []),
    ...(values.full && !partial && !values.self
      ? outcome.stale.filter(isCommon).map((id) => `"${id}" is listed in compat/crds/known.ts but no longer occurs`)
      : []),
    ...unlistedIds(KNOWN),
    ...types.errors.map((line) => `types of CRDs: ${line}`),
  ];
  for (const complaint of complaints) console.log(`FAIL ${complaint}`);
  const folder = join(ROOT, '.cache', 'compat');
  mkdirSync(folder, { recursive: true });
  const log = join(folder, 'crds.log');
  writeFileSync(
    log,
    results
      .filter(({ differences }) => differences.length > 0)
      .map((one) => JSON.stringify(one))
      .join('\n'),
  );
  if (complaints.length > 0) console.log(`every miss: ${log}`);
  process.exitCode = complaints.length === 0 ? 0 : 1;
}

/** Compares these subjects on fresh servers. */
async function runAll(chosen: readonly Subject[]): Promise<Session> {
  const session = new Session();
  let done = 0;
  for (const batch of batchesOf(chosen)) {
    const peers = await startPeers();
    session.connect(peers.all);
    try {
      await runSubjects(session, batch, options);
    } finally {
      session.close();
      await peers.stop();
    }
    done += batch.length;
    if (done < chosen.length) console.log(`${done} of ${chosen.length} CRDs`);
  }
  return session;
}

/** Returns the definitions with unknown differences. */
function differingDefinitions(some: readonly Result[]): Result[] {
  const definitions = some.filter(({ aspect }) => aspect === 'definition');
  return differing(judgeResults(definitions, values.self).judged);
}

function isCommon(id: string): boolean {
  return KNOWN.find((entry) => entry.id === id)?.isRare !== true;
}

/** Splits the subjects into batches of whole projects, in order. */
function batchesOf(all: readonly Subject[]): Subject[][] {
  const batches: Subject[][] = [];
  for (const subject of all) {
    const last = batches.at(-1);
    const isFull = last !== undefined && last.length >= BATCH && last.at(-1)?.project !== subject.project;
    if (last === undefined || isFull) batches.push([subject]);
    else last.push(subject);
  }
  return batches;
}

function choose(all: readonly Subject[]): readonly Subject[] {
  const names = values.project?.split(',');
  const wanted = all.filter(
    ({ project, name }) =>
      (names === undefined || names.includes(project)) && (values.crd === undefined || name.includes(values.crd)),
  );
  if (values.full || partial) return wanted;
  const taken = new Map<string, number>();
  const small = wanted.filter(({ definition }) => JSON.stringify(definition).length < SHORT_SIZE);
  return small.filter(({ project }) => {
    const before = taken.get(project) ?? 0;
    taken.set(project, before + 1);
    return before < SHORT_PER_PROJECT;
  });
}

async function startPeers(): Promise<{ all: readonly Peer[]; stop(): Promise<void> }> {
  if (!values['only-reference']) {
    const pair = await startPair(values.self ? 'reference' : 'keelson');
    return { all: [pair.reference, pair.candidate], stop: () => pair.stop() };
  }
  const folder = mkdtempSync(join(tmpdir(), 'compat-crds-'));
  const reference = await startReference({ credentials: await makeCredentials(folder) });
  return {
    all: [reference],
    async stop() {
      await reference.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
