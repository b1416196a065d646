/** The two servers of the comparison, each with a port for its extension server. */
import { join } from 'node:path';
import { runScripts, type StepResult, type Variables } from '../kubectl/run.ts';
import type { Script } from '../kubectl/script.ts';
import { freePort } from '../peers/free-port.ts';
import type { Pair } from '../peers/pair.ts';
import type { Peer } from '../peers/peer.ts';
import type { Child } from '../peers/process.ts';

export interface Side {
  readonly peer: Peer;
  /** For the files of this side's extension server. */
  readonly folder: string;
  /** The port of this side's extension server: `{{port}}` in scripts. */
  readonly port: number;
}

export class Sides {
  readonly #pair: Pair;
  readonly #sides: readonly Side[];
  readonly #variables: (peer: Peer) => Variables;
  #running: Child[] = [];
  readonly results: StepResult[] = [];

  private constructor(pair: Pair, sides: readonly Side[], variables: (peer: Peer) => Variables) {
    this.#pair = pair;
    this.#sides = sides;
    this.#variables = variables;
  }

  /** `variables` are those of the scripts besides `port`. */
  static async open(pair: Pair, folder: string, variables: (peer: Peer) => Variables): Promise<Sides> {
    const sides: Side[] = [];
    for (const peer of [pair.reference, pair.candidate])
      sides.push({ peer, folder: join(folder, peer.name), port: await freePort() });
    return new Sides(pair, sides, variables);
  }

  async run(script: Script): Promise<void> {
    const variables = (peer: Peer): Variables => ({
      ...this.#variables(peer),
      port: String(this.#sides.find((side) => side.peer === peer)?.port),
    });
    this.results.push(...(await runScripts(this.#pair, [script], variables)));
  }

  /** Starts one extension server for each side. */
  async start(start: (side: Side) => Promise<Child>): Promise<void> {
    const started = await Promise.allSettled(this.#sides.map(start));
    for (const one of started) if (one.status === 'fulfilled') this.#running.push(one.value);
    for (const one of started) if (one.status === 'rejected') throw one.reason;
  }

  async stop(): Promise<void> {
    const stopping = this.#running;
    this.#running = [];
    await Promise.all(stopping.map((child) => child.stop()));
  }
}
