/**
 * Runs h2spec against our server, which checks conformance to RFC 7540 and RFC 7541. Every test must pass, or be
 * skipped by h2spec itself.
 *
 * usage: main.ts [SPEC...]
 *   SPEC   a part of the tests, as h2spec names it: http2/6.5, hpack
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, createClient } from '../diff/client.ts';
import { startKeelson } from '../peers/keelson.ts';
import { makeCredentials, type Peer } from '../peers/peer.ts';
import { program, ROOT } from '../peers/programs.ts';

/** The time limit of each test, and of the whole run. */
const TEST_SECONDS = 5;
const ALL_SECONDS = 300;
/**
 * A test that sends a request and then an error on its stream, in two writes, cannot distinguish a server that answers
 * in between from one that does not notice the error. A test fails if it fails in all of these runs.
 */
const MOST_RUNS = 3;
/** With fewer tests, h2spec did not run all it has. */
const FEWEST_TESTS = 140;

/** The path of a create: an answer that does not wait for the body would race with the error in it. */
const PATH = '/api/v1/namespaces';

/** Grants access to anonymous clients, because h2spec sends no credentials. */
async function letAnybodyIn(peer: Peer): Promise<void> {
  const client = createClient(peer);
  const api = 'rbac.authorization.k8s.io';
  const body = {
    metadata: { name: 'anybody' },
    roleRef: { apiGroup: api, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: api, kind: 'User', name: 'system:anonymous' }],
  };
  const step = { method: 'POST', path: `/apis/${api}/v1/clusterrolebindings`, body } as const;
  const { status, text } = await ask(client, step, new Map());
  client.close();
  if (status !== 201) throw new Error(`anybody cannot be let in: ${text}`);
}

interface Run {
  readonly summary: string;
  /** True if it ran all of its tests. */
  readonly complete: boolean;
  readonly failed: readonly string[];
  readonly output: string;
}

function runH2spec(url: string): Run {
  const flags = ['-t', '-k', '-S', '-P', PATH, '-h', '127.0.0.1', '-p', new URL(url).port, '-o', String(TEST_SECONDS)];
  const run = spawnSync(h2spec, [...flags, ...specs], { encoding: 'utf8', timeout: ALL_SECONDS * 1000 });
  const output = `${run.stdout ?? ''}${run.stderr ?? ''}`;
  const summary = /(\d+) tests, (\d+) passed, (\d+) skipped, (\d+) failed/.exec(output);
  const [tests = 0] = (summary ?? []).slice(1).map(Number);
  const failures = output.indexOf('Failures:');
  return {
    summary: summary?.[0] ?? `no summary, exit code ${run.status}`,
    complete: summary !== null && tests >= (specs.length > 0 ? 1 : FEWEST_TESTS),
    failed: failures < 0 ? [] : (output.slice(failures).match(/^ *× .*$/gm) ?? []).map((line) => line.trim()),
    output,
  };
}

const specs = process.argv.slice(2);
const h2spec = program('h2spec');
const started = performance.now();
const folder = mkdtempSync(join(tmpdir(), 'compat-h2-'));
const runs: Run[] = [];
let failed: readonly string[] | undefined;
let server: Peer | undefined;
try {
  server = await startKeelson({ credentials: await makeCredentials(folder) });
  await letAnybodyIn(server);
  do {
    const run = runH2spec(server.url);
    runs.push(run);
    console.log(`h2spec: ${run.summary}`);
    const before = failed;
    failed = before === undefined ? run.failed : run.failed.filter((test) => before.includes(test));
  } while (runs.length < MOST_RUNS && failed.length > 0);
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
const logs = join(ROOT, '.cache', 'compat');
mkdirSync(logs, { recursive: true });
const log = join(logs, 'h2.log');
writeFileSync(log, runs.map(({ output }) => output).join('\n'));
const good = failed.length === 0 && runs.every(({ complete }) => complete);
for (const test of failed) console.log(`FAIL ${test}`);
if (!good) console.log(`FAIL; everything that h2spec said: ${log}`);
console.log(
  `${good ? 'every test passes' : 'not every test passes'}; ${((performance.now() - started) / 1000).toFixed(1)} s`,
);
process.exitCode = good ? 0 : 1;
