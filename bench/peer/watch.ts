/**
 * Events to 1,000 watchers. h2load keeps the watches open until their time is up and counts the received bytes, while
 * one writer creates objects. The counted CPU is that of the writes and the deliveries, from the first write until the
 * last event is sent.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoad } from './h2load.ts';
import { cpuSeconds } from './process-figures.ts';
import { ask, configMapBody, headersOf, type Side } from './side.ts';

export interface WatchFigures {
  readonly events: number;
  readonly cpuMicrosPerEvent: number;
  /** The share of the expected bytes that the watchers received. */
  readonly delivered: number;
}

const WATCHERS = 1000;
/** The time for 1,000 watches on as many connections to open on a slow machine, and for the last events to arrive. */
const OPENING_MS = 3500;
const SETTLING_MS = 1500;

export async function watch(side: Side, connections: number, writes: number, namespace: string): Promise<WatchFigures> {
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  const first = JSON.parse(await ask(side, 'POST', collection, JSON.parse(configMapBody()))) as {
    metadata: { resourceVersion: string };
  };
  const seconds = Math.ceil((OPENING_MS + SETTLING_MS) / 1000) + Math.ceil(writes / 40) + 1;
  const query = `watch=true&resourceVersion=${first.metadata.resourceVersion}&timeoutSeconds=${seconds}`;
  const watches = startLoad({
    url: `${side.url}${collection}?${query}`,
    headers: headersOf(side),
    requests: WATCHERS,
    connections,
    streams: WATCHERS / connections,
  });
  await sleep(OPENING_MS);
  const before = cpuSeconds(side.pids);
  let eventBytes = 0;
  for (let i = 0; i < writes; i++) {
    const object = await ask(side, 'POST', collection, JSON.parse(configMapBody()));
    eventBytes += '{"type":"ADDED","object":}\n'.length + object.trimEnd().length;
  }
  await sleep(SETTLING_MS);
  const cpu = cpuSeconds(side.pids) - before;
  const { bytes } = await watches.figures;
  const events = writes * WATCHERS;
  return { events, cpuMicrosPerEvent: (cpu * 1e6) / events, delivered: bytes / (eventBytes * WATCHERS) };
}
