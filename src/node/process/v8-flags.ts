/**
 * The V8 flags of a server process. `scripts/warm-server.mjs` must reset every flag that is set here before it writes
 * the code cache: V8 accepts cached code only under the flags that it was compiled with.
 */
import { setFlagsFromString } from 'node:v8';

/**
 * Sets the flags that also suit the start, which is a burst of work. Called after the code cache of the build is
 * loaded, so that V8 accepts it.
 */
export function setFlagsForStart(): void {
  optimiseInLoad(false);
  collectOnOneThread();
  allocateInYoungGeneration();
}

/**
 * Lets the young generation grow to its full size in one step. By default V8 starts with 1 MB and doubles it each time
 * as much has survived, so a busy server collects every few milliseconds in its first minutes; that took a quarter of
 * the CPU time of creating 500 definitions. `collectWhenIdle` makes V8 shrink it again. Called after the start: a start
 * keeps most of its objects, and with a large young generation it would need 12 MB more.
 */
export function growYoungGenerationAtOnce(): void {
  setFlagsFromString('--semi-space-growth-factor=16');
}

/**
 * Makes V8 optimise a function after four times as many runs as by default, unless the load is sustained. Bursts of
 * work, such as a few hundred definitions, run through hundreds of large functions; optimising them took a third of the
 * CPU time, on threads that compete with the main thread. With the longer delay, functions that run once per request
 * are optimised after up to 10,000 requests, so a sustained load gets the default: its first requests then cost up to
 * 40 % less.
 */
export function optimiseInLoad(isSustained: boolean): void {
  setFlagsFromString(`--interrupt-budget=${isSustained ? DEFAULT_BUDGET : 4 * DEFAULT_BUDGET}`);
}

/** The default of V8 in Node 20. */
const DEFAULT_BUDGET = 67_584;

/**
 * Collects the young generation on the main thread alone. Little of it survives on a server. Waking the helper threads
 * and sharing that work among them took more CPU time than it saved: 5 to 8 % of creating ConfigMaps on two cores.
 */
function collectOnOneThread(): void {
  setFlagsFromString('--no-parallel-scavenge');
}

/**
 * Makes optimised code allocate all objects in the young generation, where the objects of requests end
 * (docs/decisions/0045-garbage-in-the-young-generation.md).
 */
function allocateInYoungGeneration(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
