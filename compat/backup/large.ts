/** Measures `keelson open` on a large snapshot. */
import { readFileSync, writeFileSync } from 'node:fs';
import { encodeObject } from '../../src/apimachinery/protobuf/encode.ts';
import type { JsonObject } from '../../src/base/json-value.ts';
import { kindView } from '../../src/kinds/views.ts';
import { writeSnapshot } from '../../src/storage/snapshot-file/write-snapshot.ts';
import { ask, createClient } from '../diff/client.ts';
import type { Credentials } from '../peers/peer.ts';
import { openBackup } from './open-server.ts';

/** A list of all objects decodes each of them once. */
const LIST_MS = 120_000;
const NONE: ReadonlyMap<string, string> = new Map();

/** Pods of about 1 kB, encoded as kube-apiserver does, in a file of our own writer: etcd would need minutes for them. */
export async function openLarge(objects: number, path: string, credentials: Credentials): Promise<void> {
  const size = writePods(path, objects);
  const opened = await openBackup(path, credentials);
  const openedClient = createClient(opened, LIST_MS);
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

/** Returns the size of the file. */
function writePods(path: string, objects: number): number {
  const revisions = Array.from({ length: objects }, (_, i) => {
    const encoded = encodeObject(kindView('', 'v1', 'Pod'), pod(i));
    if (!encoded.ok) throw new Error(encoded.error.message);
    return { key: `/registry/pods/default/${nameOf(i)}`, value: encoded.bytes, revision: i + 2, created: i + 2 };
  });
  const bytes = writeSnapshot(revisions);
  writeFileSync(path, bytes);
  return bytes.byteLength;
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
