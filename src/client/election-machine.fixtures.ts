/**
 * A simulated machine: a clock of its own speed, and a network that delays, stalls and loses. The machine can be paused
 * (nothing runs, clocks go on), suspended (the monotonic clock stands still, too) and killed.
 */
import type { Transport, TransportRequest, TransportResponse } from '../apimachinery/http/transport.ts';
import { onAbort } from '../base/abort.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { Deferred } from '../base/deferred.ts';
import { TransportError } from '../base/errors.ts';
import type { Random } from '../base/random.fixtures.ts';
import type { VirtualClock } from '../base/virtual-clock.ts';

export interface MachineOptions {
  readonly world: VirtualClock;
  readonly random: Random;
  readonly handle: (request: TransportRequest) => TransportResponse;
  /** Called before any code of the machine runs, and after. */
  readonly onRun: () => void;
}

/** The time in which a term ends that was measured with a clock that lies. */
const LYING_MS = 20_000;

export class SimulatedMachine {
  readonly clock: Clock;
  readonly transport: Transport;
  /** Seconds of this machine per second of the world. */
  readonly #rate: number;
  readonly #options: MachineOptions;
  #wallOffset: number;
  #paused = false;
  #killed = false;
  #partitionedUntil = 0;
  #wallReliableFrom = 0;
  #monotonicReliableFrom = 0;
  /** The world's time that the monotonic clock has missed. */
  #suspendedFor = 0;
  #suspendedAt: number | undefined;
  /** The work that came up during a pause. */
  #waiting: (() => void)[] = [];

  constructor(options: MachineOptions) {
    const { random } = options;
    this.#options = options;
    this.#rate = 0.9 + 0.2 * random.next();
    this.#wallOffset = (random.next() - 0.5) * 1e9;
    this.clock = {
      now: () => options.world.now() + this.#wallOffset,
      monotonic: () => this.#monotonic(),
      setTimer: (delayMs, callback) => this.#setTimer(delayMs, callback),
    };
    this.transport = (request) => this.#send(request);
  }

  get idle(): boolean {
    return !this.#paused && !this.#killed && this.#options.world.now() >= this.#partitionedUntil;
  }

  /**
   * For `forMs` nothing of this machine runs. With `suspend` its monotonic clock stands still, unless its wall clock was
   * set back just before: a machine whose clocks both lie cannot know how much time has passed.
   */
  pause(forMs: number, suspend: boolean): void {
    this.#paused = true;
    if (suspend && this.#options.world.now() >= this.#wallReliableFrom) this.#suspendedAt = this.#options.world.now();
    this.#options.world.setTimer(forMs, () => this.#resume());
  }

  /** For `forMs` no request and no response passes. */
  partition(forMs: number): void {
    this.#partitionedUntil = this.#options.world.now() + forMs;
  }

  /** Nothing of this machine runs any more. Its requests on the way still arrive. */
  kill(): void {
    this.#killed = true;
    this.#waiting = [];
  }

  /** A clock is not set back just after a suspension: see `pause`. */
  setWallClock(byMs: number): void {
    const now = this.#options.world.now();
    if (byMs < 0 && now < this.#monotonicReliableFrom) return;
    if (byMs < 0) this.#wallReliableFrom = now + LYING_MS;
    this.#wallOffset += byMs;
  }

  #resume(): void {
    const now = this.#options.world.now();
    if (this.#suspendedAt !== undefined) {
      this.#suspendedFor += now - this.#suspendedAt;
      this.#monotonicReliableFrom = now + LYING_MS;
    }
    this.#suspendedAt = undefined;
    this.#paused = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    // Input and timers come in any order, as after SIGCONT.
    for (let i = waiting.length - 1; i > 0; i--) {
      const j = this.#options.random.int(i + 1);
      [waiting[i], waiting[j]] = [waiting[j] as () => void, waiting[i] as () => void];
    }
    for (const run of waiting) this.#options.world.setTimer(0, () => this.#run(run));
  }

  #run(callback: () => void): void {
    if (this.#killed) return;
    if (this.#paused) {
      this.#waiting.push(callback);
      return;
    }
    this.#options.onRun();
    callback();
  }

  #monotonic(): number {
    const world = this.#suspendedAt ?? this.#options.world.now();
    return (world - this.#suspendedFor) * this.#rate;
  }

  #setTimer(delayMs: number, callback: () => void): Timer {
    const due = this.#monotonic() + delayMs;
    let cancelled = false;
    let pending: Timer;
    const arm = (leftMs: number): void => {
      pending = this.#options.world.setTimer(leftMs / this.#rate, () => this.#run(fire));
    };
    const fire = (): void => {
      if (cancelled) return;
      const leftMs = due - this.#monotonic();
      // The monotonic clock stood still meanwhile.
      if (leftMs > 1e-3) arm(leftMs);
      else callback();
    };
    arm(Math.max(0, delayMs));
    return {
      cancel: () => {
        cancelled = true;
        pending.cancel();
      },
    };
  }

  #send(request: TransportRequest): Promise<TransportResponse> {
    const answer = new Deferred<TransportResponse>();
    const reset = (): void => this.#run(() => answer.reject(new TransportError('connection reset')));
    const stopListening = onAbort(request.signal, (reason) => answer.reject(reason));
    this.#travel(() => {
      const response = this.#options.handle(request);
      this.#travel(() => this.#run(() => answer.resolve(response)), reset);
    }, reset);
    return answer.promise.finally(stopListening);
  }

  /** One way through the network: mostly fast, sometimes slow, during a partition stalled or lost. */
  #travel(arrive: () => void, lose: () => void): void {
    const { world, random } = this.#options;
    const delay = random.next() < 0.97 ? random.next() * 20 : random.next() * 4_000;
    const left = Math.max(0, this.#partitionedUntil - world.now());
    if (left > 0 && random.next() < 0.3) world.setTimer(left + delay, lose);
    else world.setTimer(left + delay, arrive);
  }
}
