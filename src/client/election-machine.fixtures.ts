/**
 * A simulated machine: its clock runs faster or slower than true time, and its network delays, stalls and loses
 * requests. The machine can be paused (no code runs, clocks continue), suspended (the monotonic clock stops, too) and
 * killed.
 */
import type { Transport, TransportRequest, TransportResponse } from '../apimachinery/http/transport.ts';
import { onAbort } from '../base/abort.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { Deferred } from '../base/deferred.ts';
import { TransportError } from '../base/errors.ts';
import type { Random } from '../base/random.fixtures.ts';
import type { VirtualClock } from '../base/virtual-clock.ts';

export interface MachineOptions {
  /** The time of the simulation, which no machine can read. */
  readonly trueClock: VirtualClock;
  readonly random: Random;
  readonly handle: (request: TransportRequest) => TransportResponse;
  /** Called before any code of the machine runs, and after. */
  readonly onRun: () => void;
}

/** How long a wrong clock may affect a term: terms that began before have then ended. */
const WRONG_CLOCK_MS = 20_000;

export class SimulatedMachine {
  readonly clock: Clock;
  readonly transport: Transport;
  /** Seconds of this machine's clock per second of `trueClock`. */
  readonly #rate: number;
  readonly #options: MachineOptions;
  #wallOffset: number;
  #paused = false;
  #killed = false;
  #partitionedUntil = 0;
  #wallReliableFrom = 0;
  #monotonicReliableFrom = 0;
  /** The time of `trueClock` that the monotonic clock has missed. */
  #suspendedFor = 0;
  #suspendedAt: number | undefined;
  /** The callbacks that became due during a pause. */
  #waiting: (() => void)[] = [];

  constructor(options: MachineOptions) {
    const { random } = options;
    this.#options = options;
    this.#rate = 0.9 + 0.2 * random.next();
    this.#wallOffset = (random.next() - 0.5) * 1e9;
    this.clock = {
      now: () => options.trueClock.now() + this.#wallOffset,
      monotonic: () => this.#monotonic(),
      setTimer: (delayMs, callback) => this.#setTimer(delayMs, callback),
    };
    this.transport = (request) => this.#send(request);
  }

  get idle(): boolean {
    return !this.#paused && !this.#killed && this.#options.trueClock.now() >= this.#partitionedUntil;
  }

  /**
   * Runs no code of this machine for `forMs`. With `suspend` the monotonic clock stops, unless the wall clock was set
   * back just before: if both clocks are wrong, a machine cannot know how much time has passed.
   */
  pause(forMs: number, suspend: boolean): void {
    this.#paused = true;
    if (suspend && this.#options.trueClock.now() >= this.#wallReliableFrom)
      this.#suspendedAt = this.#options.trueClock.now();
    this.#options.trueClock.setTimer(forMs, () => this.#resume());
  }

  /** Lets no request and no response pass for `forMs`. */
  partition(forMs: number): void {
    this.#partitionedUntil = this.#options.trueClock.now() + forMs;
  }

  /** Runs no more code of this machine. Requests that it has already sent still arrive. */
  kill(): void {
    this.#killed = true;
    this.#waiting = [];
  }

  /** Changes the wall clock. It is not set back just after a suspension; see `pause`. */
  setWallClock(byMs: number): void {
    const now = this.#options.trueClock.now();
    if (byMs < 0 && now < this.#monotonicReliableFrom) return;
    if (byMs < 0) this.#wallReliableFrom = now + WRONG_CLOCK_MS;
    this.#wallOffset += byMs;
  }

  #resume(): void {
    const now = this.#options.trueClock.now();
    if (this.#suspendedAt !== undefined) {
      this.#suspendedFor += now - this.#suspendedAt;
      this.#monotonicReliableFrom = now + WRONG_CLOCK_MS;
    }
    this.#suspendedAt = undefined;
    this.#paused = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    // Run the callbacks in random order, as after SIGCONT.
    for (let i = waiting.length - 1; i > 0; i--) {
      const j = this.#options.random.int(i + 1);
      [waiting[i], waiting[j]] = [waiting[j] as () => void, waiting[i] as () => void];
    }
    for (const run of waiting) this.#options.trueClock.setTimer(0, () => this.#run(run));
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
    const trueTime = this.#suspendedAt ?? this.#options.trueClock.now();
    return (trueTime - this.#suspendedFor) * this.#rate;
  }

  #setTimer(delayMs: number, callback: () => void): Timer {
    const due = this.#monotonic() + delayMs;
    let cancelled = false;
    let pending: Timer;
    const arm = (leftMs: number): void => {
      pending = this.#options.trueClock.setTimer(leftMs / this.#rate, () => this.#run(fire));
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

  /** Sends a message through the network: mostly fast, sometimes slow, and stalled or lost during a partition. */
  #travel(arrive: () => void, lose: () => void): void {
    const { trueClock, random } = this.#options;
    const delay = random.next() < 0.97 ? random.next() * 20 : random.next() * 4_000;
    const left = Math.max(0, this.#partitionedUntil - trueClock.now());
    if (left > 0 && random.next() < 0.3) trueClock.setTimer(left + delay, lose);
    else trueClock.setTimer(left + delay, arrive);
  }
}
