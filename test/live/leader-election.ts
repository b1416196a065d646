/**
 * A live election: five processes with leases of one second. The leader is paused (SIGSTOP), cut off (a proxy that
 * stalls), killed or stopped, until the Lease has changed hands N times. Every request that a leader starts is compared
 * with its own monotonic deadline, and no two processes may lead at a time. Before that, the same over virtual time.
 *
 * usage: run-ts.mjs test/live/leader-election.ts [--handovers N] [--simulated N] [--server keelson|reference] [--seed S]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { type Credentials, makeCredentials, type Peer, TOKEN_USERS } from '../../compat/peers/peer.ts';
import { createRandom, type Random } from '../../src/base/random.fixtures.ts';
import { simulateElection } from '../../src/client/election-simulation.fixtures.ts';
import { formatKubeconfig } from '../../src/pki/kubeconfig.ts';
import { type CandidateLine, machineTime, runCandidate } from './leader-candidate.ts';
import { StallingProxy } from './stalling-proxy.ts';

const { values } = parseArgs({
  options: {
    candidate: { type: 'string' },
    kubeconfig: { type: 'string' },
    handovers: { type: 'string', default: '30' },
    simulated: { type: 'string', default: '0' },
    server: { type: 'string', default: 'keelson' },
    seed: { type: 'string' },
  },
});
const CANDIDATES = 5;
/** A handover that takes longer is a failure. */
const PATIENCE_MS = 30_000;

interface Candidate {
  readonly identity: string;
  readonly child: ChildProcess;
  readonly proxy: StallingProxy;
  /** The exit code. */
  readonly exited: Promise<number | null>;
}

/** The output of the candidates. */
class Witness {
  readonly violations: string[] = [];
  requests = 0;
  refused = 0;
  terms = 0;
  leader: Candidate | undefined;
  /** The end of the last request of each candidate's current term, and its begin. */
  readonly #terms: { readonly identity: string; readonly begin: number; last: number }[] = [];
  #changed: () => void = () => undefined;

  note(candidate: Candidate, line: CandidateLine): void {
    if (line.kind === 'term') {
      this.terms++;
      this.leader = candidate;
      this.#terms.push({ identity: candidate.identity, begin: line.at, last: line.at });
    } else if (line.kind === 'request') {
      this.requests++;
      if (line.leftMs <= 0) this.violations.push(`${candidate.identity} started a request ${-line.leftMs} ms late`);
      const term = this.#terms.findLast(({ identity }) => identity === candidate.identity);
      if (term !== undefined) term.last = line.at;
    } else if (line.kind === 'refused') this.refused++;
    this.#changed();
  }

  async until(condition: () => boolean): Promise<boolean> {
    const end = machineTime() + PATIENCE_MS;
    while (!condition() && machineTime() < end)
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
        setTimeout(resolve, 1000).unref();
      });
    return condition();
  }

  /** Two terms overlap if one has a request between the begin and the last request of another. */
  checkOverlaps(): void {
    const terms = [...this.#terms].sort((a, b) => a.begin - b.begin);
    for (const [i, term] of terms.entries())
      for (const other of terms.slice(i + 1))
        if (other.identity !== term.identity && other.begin <= term.last)
          this.violations.push(`${term.identity} led ${term.last - other.begin} ms into the term of ${other.identity}`);
  }
}

async function runParent(): Promise<void> {
  const seed = values.seed === undefined ? Date.now() % 0x7fffffff : Number(values.seed);
  console.log(`leader election: seed ${seed}`);
  const violations = [...(await simulate(seed)), ...(await runLive(seed))];
  for (const violation of violations) console.error(`VIOLATION: ${violation}`);
  console.log(`${violations.length} violations (seed ${seed})`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

async function simulate(seed: number): Promise<readonly string[]> {
  const handovers = Number(values.simulated);
  if (handovers === 0) return [];
  const begin = performance.now();
  const figures = await simulateElection({ seed, handovers });
  console.log(
    `simulated: ${figures.handovers} handovers in ${figures.simulatedHours.toFixed(0)} hours of virtual time, ` +
      `${figures.terms} terms, ${figures.requests} requests of leaders, ${figures.refused} refused or failed; ` +
      `without a leader: ${percentiles(figures.failoverSeconds, 's')}; ${((performance.now() - begin) / 1000).toFixed(0)} s`,
  );
  return figures.violations.slice(0, 10);
}

/** The modules are loaded here, because they handle signals, which candidates do on their own. */
async function startServer(credentials: Credentials): Promise<Peer> {
  if (values.server === 'reference')
    return (await import('../../compat/peers/reference.ts')).startReference({ credentials });
  return (await import('../../compat/peers/keelson.ts')).startKeelson({ credentials });
}

async function runLive(seed: number): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-leader-'));
  const credentials = await makeCredentials(join(folder, 'credentials'));
  const server = await startServer(credentials);
  const port = Number(new URL(server.url).port);
  const election = new LiveElection({ folder, port, caPem: credentials.caPem, seed });
  try {
    await election.run(Number(values.handovers));
  } finally {
    await election.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return election.report(server.name);
}

interface LiveOptions {
  readonly folder: string;
  readonly port: number;
  readonly caPem: string;
  readonly seed: number;
}

class LiveElection {
  readonly #options: LiveOptions;
  readonly #random: Random;
  readonly #witness = new Witness();
  readonly #candidates: Candidate[] = [];
  readonly #failovers = new Map<string, number[]>();
  #started = 0;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#random = createRandom(options.seed);
    process.once('exit', () => {
      for (const { child } of this.#candidates) child.kill('SIGKILL');
    });
  }

  async run(handovers: number): Promise<void> {
    for (let i = 0; i < CANDIDATES; i++) this.#candidates.push(await this.#start());
    for (let i = 0; i < handovers; i++) {
      if (!(await this.#witness.until(() => this.#witness.leader !== undefined))) throw new Error('no leader in 30 s');
      await pause(200 + this.#random.int(800));
      await this.#handOver(this.#witness.leader as Candidate);
    }
  }

  /** Disturbs the leader until another candidate leads. */
  async #handOver(leader: Candidate): Promise<void> {
    const way = this.#random.pick(['SIGSTOP', 'SIGSTOP', 'partition', 'partition', 'SIGKILL', 'SIGTERM']);
    const begin = machineTime();
    if (way === 'partition') leader.proxy.stall();
    else leader.child.kill(way as NodeJS.Signals);
    const isLed = (): boolean => this.#witness.leader !== leader;
    const led = await this.#witness.until(isLed);
    this.#note(way, machineTime() - begin);
    if (!led) this.#witness.violations.push(`no leader ${PATIENCE_MS} ms after ${way}`);
    if (way === 'partition') {
      await pause(this.#random.int(500));
      leader.proxy.goOn();
    } else if (way === 'SIGSTOP') {
      await pause(this.#random.int(500));
      leader.child.kill('SIGCONT');
    } else {
      const code = await leader.exited;
      if (way === 'SIGTERM' && code !== 0) this.#witness.violations.push(`SIGTERM ended with ${code}`);
      leader.proxy.close();
      this.#candidates.splice(this.#candidates.indexOf(leader), 1, await this.#start());
    }
  }

  #note(way: string, tookMs: number): void {
    const times = this.#failovers.get(way) ?? [];
    this.#failovers.set(way, times);
    times.push(tookMs);
  }

  async #start(): Promise<Candidate> {
    const identity = `candidate-${++this.#started}`;
    const proxy = await StallingProxy.listen(this.#options.port);
    const kubeconfig = join(this.#options.folder, `${identity}.kubeconfig`);
    const text = formatKubeconfig({
      server: `https://127.0.0.1:${proxy.port}`,
      caPem: this.#options.caPem,
      credentials: { kind: 'token', token: TOKEN_USERS.admin.token },
      cluster: 'live',
      user: 'admin',
    });
    writeFileSync(kubeconfig, text, { mode: 0o600 });
    const bundle = process.argv[1] as string;
    const child = spawn(process.execPath, [bundle, '--candidate', identity, '--kubeconfig', kubeconfig], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const candidate: Candidate = {
      identity,
      child,
      proxy,
      exited: new Promise((resolve) => child.once('close', resolve)),
    };
    createInterface({ input: child.stdout }).on('line', (line) =>
      this.#witness.note(candidate, JSON.parse(line) as CandidateLine),
    );
    return candidate;
  }

  async stop(): Promise<void> {
    for (const { child, proxy } of this.#candidates) {
      proxy.goOn();
      child.kill('SIGCONT');
      child.kill('SIGTERM');
    }
    const late = setTimeout(() => {
      this.#witness.violations.push('a candidate did not stop in 10 s');
      for (const { child } of this.#candidates) child.kill('SIGKILL');
    }, 10_000);
    for (const { exited } of this.#candidates) await exited;
    clearTimeout(late);
    for (const { proxy } of this.#candidates) proxy.close();
  }

  report(server: string): readonly string[] {
    const witness = this.#witness;
    witness.checkOverlaps();
    const all = [...this.#failovers.values()].flat();
    console.log(
      `live on ${server}: ${all.length} handovers, ${witness.terms} terms, ${witness.requests} requests of leaders, ` +
        `${witness.refused} refused or cancelled by the fence`,
    );
    console.log(`  failover, all: ${percentiles(all, 'ms')}`);
    for (const [way, times] of [...this.#failovers].sort())
      console.log(`  failover after ${way}, ${times.length} times: ${percentiles(times, 'ms')}`);
    return witness.violations;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function percentiles(values: readonly number[], unit: string): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): string =>
    (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(unit === 'ms' ? 0 : 1);
  return `median ${at(0.5)} ${unit}, p90 ${at(0.9)} ${unit}, longest ${at(1)} ${unit}`;
}

if (values.candidate !== undefined) await runCandidate(values.kubeconfig as string, values.candidate);
else await runParent();
