/**
 * How V8 is set for a server. Invariant: whatever is set here, `scripts/warm-server.mjs` puts back before it keeps compiled code, because V8 takes such code only under the flags that it was made under.
 */
import { setFlagsFromString } from 'node:v8';

/** Called once the server is up, so that code that the build has kept is still taken. */
export function setV8Flags(): void {
  growYoungGenerationAtOnce();
  optimiseLater();
}

/**
 * Lets the space for new objects grow to its full size in one step as soon as there is work. V8 begins with 1 MB and doubles it each time that as much has survived, so that for the first minutes a server collects every few
 * milliseconds: a quarter of the CPU of 500 new definitions. At rest `collectWhenIdle` sees to it that the space is made small again.
 */
function growYoungGenerationAtOnce(): void {
  setFlagsFromString('--semi-space-growth-factor=16');
}

/**
 * A function runs four times as often as is usual before V8 optimises it. Work that comes in bursts, such as a few hundred definitions, runs through hundreds of large functions, and optimising those takes a third of its CPU, on
 * threads that compete with the one that serves. What runs all the time is optimised a moment later, and then is as fast as ever.
 */
function optimiseLater(): void {
  setFlagsFromString('--interrupt-budget=270336');
}
