/**
 * A simulated election: five candidates on machines that are paused, suspended, partitioned, restarted and killed at
 * random. Every request of a leader is counted and compared with the leader's own deadline.
 */
import { onAbort } from '../base/abort.ts';
import { sleep } from '../base/clock.ts';
import { createRandom, type Random } from '../base/random.fixtures.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { createClient } from './create-client.ts';
import { SimulatedMachine } from './election-machine.fixtures.ts';
import { fenced } from './fenced.ts';
import { type LeaderTerm, runLeaderElection } from './leader-election.ts';
import type { HeldTerm } from './leader-term.ts';
import { LeaseServer } from './lease-server.fixtures.ts';
import { json } from './scripted-transport.fixtures.ts';

const CANDIDATES = 5;
const LEASE_MS = 15_000;

export interface SimulationFigures {
  readonly handovers: number;
  readonly terms: number;
  /** Requests that leaders started: work and renewals. */
  readonly requests: number;
  /** Calls of the work that the fence refused. */
  readonly refused: number;
  readonly simulatedHours: number;
  /** From the deadline of one leader to the first request of the next, in seconds of true time. */
  readonly failoverSeconds: readonly number[];
  /** Empty if the invariants hold. */
  readonly violations: readonly string[];
}

interface Candidate {
  readonly identity: string;
  readonly machine: SimulatedMachine;
  readonly stop: AbortController;
  /** The term of the running or last work. */
  term: HeldTerm | undefined;
  sawLease: boolean;
}

export async function simulateElection(options: {
  readonly seed: number;
  readonly handovers: number;
}): Promise<SimulationFigures> {
  const simulation = new Simulation(createRandom(options.seed));
  await simulation.run(options.handovers);
  return simulation.figures();
}

class Simulation {
  readonly #random: Random;
  readonly #trueClock = new VirtualClock();
  readonly #server = new LeaseServer();
  readonly #candidates: Candidate[] = [];
  readonly #violations: string[] = [];
  readonly #failovers: number[] = [];
  #identities = 0;
  #handovers = 0;
  #terms = 0;
  #requests = 0;
  #refused = 0;
  #lastLeader = '';
  #ledUntil = 0;
  #noStartBefore = 0;

  constructor(random: Random) {
    this.#random = random;
    for (let i = 0; i < CANDIDATES; i++) this.#candidates.push(this.#start());
  }

  async run(handovers: number): Promise<void> {
    const chaos = (): void => {
      this.#disturb();
      this.#trueClock.setTimer(this.#random.next() * 8_000, chaos);
    };
    chaos();
    while (this.#handovers < handovers && this.#violations.length === 0) await this.#trueClock.advance(60_000);
    for (const candidate of this.#candidates) candidate.machine.kill();
  }

  figures(): SimulationFigures {
    return {
      handovers: this.#handovers,
      terms: this.#terms,
      requests: this.#requests,
      refused: this.#refused,
      simulatedHours: this.#trueClock.monotonic() / 3_600_000,
      failoverSeconds: this.#failovers,
      violations: this.#violations,
    };
  }

  #disturb(): void {
    const candidate = this.#random.pick(this.#candidates);
    // Most disturbances concern the leader: they cause handovers.
    const leader = this.#candidates.find((each) => this.#leads(each));
    const target = this.#random.next() < 0.6 ? (leader ?? candidate) : candidate;
    if (!target.machine.idle) return;
    const choice = this.#random.next();
    const long = this.#random.next() * 3 * LEASE_MS;
    if (choice < 0.25) target.machine.pause(long, false);
    else if (choice < 0.35) target.machine.pause(long, true);
    else if (choice < 0.55) target.machine.partition(long);
    else if (choice < 0.7) this.#replace(target, () => target.stop.abort());
    else if (choice < 0.85) this.#replace(target, () => target.machine.kill());
    else if (choice < 0.95) target.machine.setWallClock((this.#random.next() - 0.5) * 60_000);
    else this.#deleteLease();
  }

  /**
   * Deletes the Lease, if all candidates have seen it. The election cannot protect against a candidate that does not
   * know of the holder, because it has started just after the deletion.
   */
  #deleteLease(): void {
    if (!this.#candidates.every((each) => each.sawLease)) return;
    this.#server.delete('demo');
    for (const candidate of this.#candidates) candidate.sawLease = false;
    this.#noStartBefore = this.#trueClock.now() + 4 * LEASE_MS;
  }

  #replace(candidate: Candidate, end: () => void): void {
    if (this.#trueClock.now() < this.#noStartBefore) return;
    end();
    // A candidate that stops keeps its identity until it has released the Lease; the next one is another.
    this.#candidates.splice(this.#candidates.indexOf(candidate), 1, this.#start());
    if (candidate.term !== undefined) this.#retired.push(candidate);
  }

  /** Candidates that were stopped: they may still hold the Lease while they end their work. */
  #retired: Candidate[] = [];

  #start(): Candidate {
    const candidate: Candidate = {
      identity: `candidate-${++this.#identities}`,
      stop: new AbortController(),
      term: undefined,
      sawLease: false,
      machine: new SimulatedMachine({
        trueClock: this.#trueClock,
        random: this.#random,
        handle: (request) => {
          if (!request.target.includes('/leases')) return json({});
          const response = this.#server.handle(request);
          if (request.method === 'GET' && response.status === 200) candidate.sawLease = true;
          return response;
        },
        onRun: () => this.#expectOneLeader(),
      }),
    };
    const { clock, transport } = candidate.machine;
    void runLeaderElection({
      client: createClient((request) => {
        this.#count(candidate, request.method);
        return transport(request);
      }),
      clock,
      random: () => this.#random.next(),
      signal: candidate.stop.signal,
      options: { namespace: 'default', name: 'demo', identity: candidate.identity },
      lead: (term) => this.#lead(candidate, term),
    });
    return candidate;
  }

  /** Writes all the time, as a controller does. Ends a while after the signal. */
  async #lead(candidate: Candidate, term: LeaderTerm): Promise<void> {
    const { clock, transport } = candidate.machine;
    candidate.term = term as HeldTerm;
    this.#terms++;
    this.#expectOneLeader();
    if (candidate.identity !== this.#lastLeader) {
      this.#handovers++;
      if (this.#ledUntil > 0) this.#failovers.push((this.#trueClock.now() - this.#ledUntil) / 1000);
    }
    this.#lastLeader = candidate.identity;
    let stopping = false;
    onAbort(term.signal, () => {
      stopping = true;
    });
    const send = fenced((request) => {
      this.#count(candidate, request.method);
      return transport(request);
    }, term);
    for (let left = 1 + this.#random.int(3); left > 0; left -= stopping ? 1 : 0) {
      await sleep(clock, this.#random.next() * 4_000);
      await send({ method: 'PATCH', target: '/work' }).catch(() => this.#refused++);
      this.#ledUntil = this.#trueClock.now();
    }
  }

  /** A request of a candidate starts. One of a leader must start before its deadline. */
  #count(candidate: Candidate, method: string): void {
    const { term } = candidate;
    if (term === undefined) return;
    const work = method === 'PATCH';
    // After the loss of a term the candidate asks for the Lease again, which is not a request of a leader.
    if (!work && isLost(term)) return;
    this.#requests++;
    if (term.expired || candidate.machine.clock.monotonic() >= term.deadline)
      this.#violations.push(`${candidate.identity} started a ${method} after its deadline`);
    this.#expectOneLeader();
  }

  #leads(candidate: Candidate): boolean {
    return candidate.term !== undefined && !isLost(candidate.term) && !candidate.term.expired;
  }

  #expectOneLeader(): void {
    this.#retired = this.#retired.filter((each) => this.#leads(each));
    const leaders = [...this.#candidates, ...this.#retired].filter((each) => this.#leads(each));
    if (leaders.length > 1)
      this.#violations.push(
        `at ${this.#trueClock.monotonic()} lead ${leaders.map((each) => each.identity).join(' and ')}`,
      );
  }
}

const nativeAborted = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted')?.get as () => boolean;

/** Whether a term is lost already. Reading `lost.aborted` would check the deadline and lose it. */
function isLost(term: HeldTerm): boolean {
  return nativeAborted.call(term.lost);
}
