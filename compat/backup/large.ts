/** Measures `keelson open` on a large snapshot. */
import { readFileSync } from 'node:fs';
import { encodeObject } from '../../src/apimachinery/protobuf/encode.ts';
import type { JsonObject } from '../../src/base/json-value.ts';
import { kindView } from '../../src/kinds/views.ts';
import { ask, createClient } from '../diff/client.ts';
import type { Credentials } from '../peers/peer.ts';
import { startReference } from '../peers/reference.ts';
import { etcdWriter } from './etcd-put.ts';
import { openBackup } from './open-server.ts';
import { takeSnapshot } from './take-snapshot.ts';

const IN_FLIGHT = 32;
const NONE: ReadonlyMap<string, string> = new Map();

/** Pods of about 1 kB, encoded as kube-apiserver does. They are written to etcd directly, which takes less time. */
export async function openLarge(objects: number, path: string, credentials: Credentials): Promise<void> {
  const reference = await startReference({ credentials, fill: (etcdUrl) => writePods(etcdUrl, objects) });
  let size: number;
  try {
    size = await takeSnapshot(reference.etcdUrl, path);
  } finally {
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

async function writePods(etcdUrl: string, objects: number): Promise<void> {
  const etcd = etcdWriter(etcdUrl);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < objects; i = next++) {
      const encoded = encodeObject(kindView('', 'v1', 'Pod'), pod(i));
      if (!encoded.ok) throw new Error(encoded.error.message);
      await etcd.put(`/registry/pods/default/${nameOf(i)}`, encoded.bytes);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  etcd.close();
}

function nameOf(i: number): string {
  return `pod-${String(i).padStart(6, '0')}`;
}

function pod(i: number): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: nameOf(i),
      namespace: 'default',
      uid: `uid-${i}`,
      labels: { app: `app-${i % 100}`, tier: 'web' },
    },
    spec: {
      containers: [{ name: 'main', image: 'registry.example.com/app:1', env: [{ name: 'INDEX', value: String(i) }] }],
    },
  };
}

function residentMiB(pid: number): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kb) / 1024);
}
