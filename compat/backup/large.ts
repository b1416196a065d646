/** Measures `keelson open` on a large snapshot. */
import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../src/base/json-value.ts';
import { ask, createClient } from '../diff/client.ts';
import type { Credentials } from '../peers/peer.ts';
import { startReference } from '../peers/reference.ts';
import { openBackup } from './open-server.ts';
import { takeSnapshot } from './take-snapshot.ts';

const IN_FLIGHT = 32;
const NONE: ReadonlyMap<string, string> = new Map();

/** Pods of about 1 kB, as protobuf. */
export async function openLarge(objects: number, path: string, credentials: Credentials): Promise<void> {
  const reference = await startReference({
    credentials,
    flags: ['--disable-admission-plugins=ServiceAccount', '--max-mutating-requests-inflight=0'],
  });
  const client = createClient(reference);
  let size: number;
  try {
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let i = next++; i < objects; i = next++) {
        const body = pod(i);
        const { status, text } = await ask(
          client,
          { method: 'POST', path: '/api/v1/namespaces/default/pods', body },
          NONE,
        );
        if (status !== 201) throw new Error(`pod ${i}: ${status} ${text.slice(0, 200)}`);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
    size = await takeSnapshot(reference.etcdUrl, path);
  } finally {
    client.close();
    await reference.stop();
  }
  const opened = await openBackup(path, credentials);
  const openedClient = createClient(opened);
  try {
    const readyMemory = residentMiB(opened.pids[0] as number);
    const started = performance.now();
    const list = await ask(openedClient, { method: 'GET', path: '/api/v1/namespaces/default/pods' }, NONE);
    const count = (JSON.parse(list.text) as { items: unknown[] }).items.length;
    console.log(
      `snapshot of ${objects} pods, ${(size / 1e6).toFixed(0)} MB: ready in ${(opened.readyMs / 1000).toFixed(1)} s with ${readyMemory} MiB; first list of ${count} in ${((performance.now() - started) / 1000).toFixed(1)} s, then ${residentMiB(opened.pids[0] as number)} MiB`,
    );
    if (count !== objects) throw new Error(`${count} of ${objects} pods are listed`);
  } finally {
    openedClient.close();
    await opened.stop();
  }
}

function pod(i: number): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `pod-${String(i).padStart(6, '0')}`, labels: { app: `app-${i % 100}`, tier: 'web' } },
    spec: {
      containers: [{ name: 'main', image: 'registry.example.com/app:1', env: [{ name: 'INDEX', value: String(i) }] }],
    },
  };
}

function residentMiB(pid: number): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kb) / 1024);
}
