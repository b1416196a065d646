/**
 * The kill -9 test through HTTP: writers create, update and delete while one watch follows; the server is killed at a
 * random moment and started again on its folder. Every write that was answered 2xx must be stored, and the watch,
 * resumed at its last resourceVersion, must show every acknowledged revision exactly once. usage: run-ts.mjs
 * test/live/kill.ts --rounds N [--writers 32] [--seed S]
 */
import { parseArgs } from 'node:util';
import { randomFrom } from '../crash/model.ts';
import { LiveClient } from './client.ts';
import { KillWitness } from './kill-witness.ts';
import { LiveServer } from './server.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    writers: { type: 'string', default: '32' },
    seed: { type: 'string' },
  },
});
const NAMES_PER_WRITER = 5;
const COLLECTION = '/api/v1/namespaces/default/configmaps';

const rounds = Number(options.rounds);
const writers = Number(options.writers);
const seed = options.seed === undefined ? Date.now() % 0x7fffffff : Number(options.seed);
const random = randomFrom(seed);
const witness = new KillWitness();
const begin = performance.now();
console.log(`kill -9 through HTTP: ${rounds} rounds, ${writers} writers, seed ${seed}`);

const server = await LiveServer.create();
try {
  for (let round = 1; round <= rounds; round++) {
    await runOnce(300 + random(900));
    console.log(`round ${round}: ${witness.roundSummary()}`);
  }
  // A last run without a kill: the watch shows the rest, and the server stops in order.
  await runOnce(undefined);
} finally {
  await server.end('SIGKILL').catch(() => undefined);
  server.remove();
}
for (const violation of witness.violations) console.error(`VIOLATION: ${violation}`);
const seconds = ((performance.now() - begin) / 1000).toFixed(0);
console.log(`${witness.totalSummary()}, ${seconds} s: ${witness.violations.length} violations`);
process.exitCode = witness.violations.length === 0 ? 0 : 1;

/**
 * Starts the server, compares its state, writes under a watch, and kills it after `killAfter` milliseconds; if
 * undefined, only compares and stops it in order.
 */
async function runOnce(killAfter: number | undefined): Promise<void> {
  server.start();
  await server.ready();
  const client = new LiveClient(server.url);
  const state = await client.request('GET', COLLECTION);
  if (state.status !== 200) throw new Error(`the list was answered ${state.status}: ${state.body}`);
  witness.compare(JSON.parse(state.body) as Parameters<KillWitness['compare']>[0]);
  const watch = client.watch(`${COLLECTION}?watch=true&resourceVersion=${witness.seen}`, (event) =>
    witness.event(event),
  );
  if (killAfter === undefined) {
    await witness.caughtUp();
    await client.request('GET', '/healthz');
    const code = await server.end('SIGTERM');
    if (code !== 0) witness.violations.push(`SIGTERM ended with ${code}`);
  } else {
    let writing = true;
    const busy = Array.from({ length: writers }, (_, writer) => write(client, writer, () => writing));
    await new Promise((resolve) => setTimeout(resolve, killAfter));
    await server.end('SIGKILL');
    writing = false;
    await Promise.all(busy);
  }
  client.close();
  await watch.ended;
}

/** One writer with its own names. It ends at the first missing answer, because the outcome of that write is unknown. */
async function write(client: LiveClient, writer: number, goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    const name = `w${writer}-${random(NAMES_PER_WRITER)}`;
    const known = witness.known(name);
    const path = `${COLLECTION}/${name}`;
    if (known.value === undefined) {
      const value = witness.begin(name);
      const answer = await client.request('POST', COLLECTION, { metadata: { name }, data: { value } });
      if (answer.status === 0) return;
      witness.created(name, answer);
    } else if (random(4) === 0) {
      witness.beginDelete(name);
      const answer = await client.request('DELETE', path);
      if (answer.status === 0) return;
      witness.deleted(name, answer);
    } else {
      const value = witness.begin(name);
      const patch = { data: { value } };
      const answer = await client.request('PATCH', path, patch, 'application/merge-patch+json');
      if (answer.status === 0) return;
      witness.updated(name, answer);
    }
  }
}
