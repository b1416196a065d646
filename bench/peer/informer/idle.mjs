// 50 informers over the in-process transport of a server with nothing to do. Prints one line of JSON: the CPU of the
// process without and with them, and the memory that they take. usage: node --expose-gc idle.mjs DIST SECONDS
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [dist, seconds] = process.argv.slice(2);
const { startControlPlane } = await import(join(dist, 'index.js'));
const { createInformerSet } = await import(join(dist, 'client', 'index.js'));
const { ConfigMap } = await import(join(dist, 'kinds', 'api', 'core', 'v1.js'));
const INFORMERS = 50;

/** Bytes of the heap and outside of it, after a collection. */
function memory() {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The share of one core over some seconds. */
async function cpu() {
  const before = process.cpuUsage();
  await sleep(Number(seconds) * 1000);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6 / Number(seconds);
}

async function start(count) {
  const informers = createInformerSet({ transport: plane.transport });
  for (let i = 0; i < count; i++) informers.informer(ConfigMap, { namespace: `namespace-${i}` });
  informers.start();
  await informers.synced();
  return informers;
}

const plane = await startControlPlane({ storage: 'memory' });
// The first informer loads code and fills caches, which the others share.
await (await start(1)).stop();
await sleep(3000);
const cpuWithout = await cpu();
const memoryWithout = memory();
await sleep(3000);
const informers = await start(INFORMERS);
await sleep(3000);
// Before the collections of `memory`, whose threads go on for a while.
const cpuWith = await cpu();
const memoryWith = memory();
console.log(JSON.stringify({ cpuWithout, cpuWith, bytes: memoryWith - memoryWithout }));
await informers.stop();
await plane.stop();
