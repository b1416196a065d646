import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { encodeObject } from '../../../apimachinery/protobuf/encode.ts';
import { decodeUtf8, encodeUtf8 } from '../../../base/bytes.ts';
import { systemClock } from '../../../base/clock.ts';
import { kindView } from '../../../kinds/views.ts';
import { readStore } from '../../../storage/lmdb/store-contents.ts';
import { writeSnapshotFile } from '../../../storage/snapshot-file/write-file.ts';
import type { ControlPlane } from '../../control-plane.ts';
import { startOnNode } from '../start-on-node.ts';
import { folderTarget } from './folder-end.ts';
import { moveData } from './move-data.ts';
import { snapshotSource } from './snapshot-end.ts';

const PATH = '/api/v1/namespaces/default/configmaps/a';

async function ask(plane: ControlPlane, method: string, body?: object): Promise<Record<string, object>> {
  const answer = await plane.transport({
    method,
    target: PATH,
    headers: { 'content-type': 'application/merge-patch+json' },
    ...(body !== undefined && { body: encodeUtf8(JSON.stringify(body)) }),
  });
  return JSON.parse(decodeUtf8(answer.body as Uint8Array)) as Record<string, object>;
}

it('a server reads the protobuf values of an imported data folder, and writes JSON', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-imported-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const metadata = { name: 'a', namespace: 'default', uid: 'u' };
  const encoded = encodeObject(kindView('', 'v1', 'ConfigMap'), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    data: { k: 'v' },
  });
  if (!encoded.ok) throw new Error(encoded.error.message);
  const path = join(folder, 'snapshot.db');
  const key = '/registry/configmaps/default/a';
  writeSnapshotFile(path, [{ key, value: encoded.bytes, revision: 41, created: 40 }], { compacted: 50 });
  const dataDir = join(folder, 'data');
  await moveData({
    source: snapshotSource({ path, prefix: '/registry', now: Date.now }),
    target: folderTarget({ dataDir, replace: false, bump: 0, clock: systemClock }),
    clock: systemClock,
    report: () => undefined,
  });
  const plane = await startOnNode({ storage: 'lmdb', dataDir, controllers: [], serving: { port: 0 } });
  try {
    const found = await ask(plane, 'GET');
    expect(found).toMatchObject({
      kind: 'ConfigMap',
      data: { k: 'v' },
      metadata: { ...metadata, resourceVersion: '41' },
    });
    const changed = await ask(plane, 'PATCH', { data: { k: 'w' } });
    expect(Number((changed['metadata'] as { resourceVersion: string }).resourceVersion)).toBeGreaterThan(50);
    expect(await ask(plane, 'GET')).toEqual(changed);
  } finally {
    await plane.stop();
  }
  const stored = (await readStore(join(dataDir, 'storage'))).keys.find((each) =>
    each.key.endsWith('configmaps/default/a'),
  );
  expect(decodeUtf8(stored!.value)).toMatch(/^\{.*"k":"w"/);
});
