/**
 * Server-side apply compared with kube-apiserver: applies that change one field of an object of 5 KB, and applies that
 * change nothing.
 */
import { Client } from './crds/client.ts';
import type { PeerBenchOptions } from './crds/main.ts';
import { percentile } from './h2load.ts';
import { ask, type Side, withCpu } from './side.ts';
import type { Measured } from './work.ts';

const NAMESPACE = 'apply';
const OBJECTS = 64;
const APPLY = 'application/apply-patch+yaml';
/** The bars: a quarter of the reference's CPU for a change, a sixth for none. */
const BARS = { change: 4, nothing: 6 };

export async function benchApply(options: PeerBenchOptions): Promise<void> {
  const { short, inTurns, judgeWork } = options;
  const [ours, peer] = [await options.startOurs(), await options.startReference()];
  try {
    for (const side of [ours, peer]) {
      await ask(side, 'POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
      await applyAll(side, OBJECTS, () => 0);
    }
    const requests = (side: Side): number => (side === ours ? (short ? 2000 : 8000) : short ? 800 : 2500);
    let change = 0;
    const changes = await inTurns(ours, peer, (side) => applyAll(side, requests(side), () => ++change));
    judgeWork('apply that changes one field of 5 KB, 64 in flight', changes, { perCpu: BARS.change });
    const last = ++change;
    for (const side of [ours, peer]) await applyAll(side, OBJECTS, () => last);
    const nothing = await inTurns(ours, peer, (side) => applyAll(side, requests(side), () => last));
    judgeWork('apply that changes nothing, 64 in flight', nothing, { perCpu: BARS.nothing });
  } finally {
    await peer.stop();
    await ours.stop();
  }
}

/** Applies to all objects at a time, to each one after the other. `value` is the changing value of a request. */
async function applyAll(side: Side, requests: number, value: () => number): Promise<Measured> {
  const client = new Client(side, APPLY);
  const latencies: number[] = [];
  const begin = performance.now();
  const applyOne = async (name: string): Promise<void> => {
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps/${name}?fieldManager=bench`;
    for (let sent = 0; sent < requests / OBJECTS; sent++) {
      const at = performance.now();
      await client.ask('PATCH', path, JSON.stringify(configuration(name, value())));
      latencies.push(performance.now() - at);
    }
  };
  const { cpu } = await withCpu(side, () =>
    Promise.all(Array.from({ length: OBJECTS }, (_, i) => applyOne(`target-${i}`))),
  );
  const seconds = (performance.now() - begin) / 1000;
  client.close();
  return {
    perSecond: latencies.length / seconds,
    cpuMicros: (cpu * 1e6) / latencies.length,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}

/** A ConfigMap of about 5 KB. */
function configuration(name: string, value: number): object {
  const data: Record<string, string> = { changing: String(value) };
  for (let i = 0; i < 40; i++) data[`setting-${i}`] = `value ${i} of this service: ${'x'.repeat(80)}`;
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { app: 'bench' } }, data };
}
