/**
 * Keelson and kube-apiserver on one etcd at the same time. Both must list the same objects in every version, before and
 * after Keelson has changed each of them.
 */
import type { JsonObject } from '../../src/base/json-value.ts';
import { ask, type Client, createClient } from '../diff/client.ts';
import { startKeelson } from '../peers/keelson.ts';
import type { Reference } from '../peers/reference.ts';
import { type Comparison, compareLists, type Lists, readLists } from './compare-lists.ts';
import { type ListedResource, NAMESPACE } from './every-kind.ts';

export interface OneEtcdResult {
  readonly read: Comparison;
  /** How many objects Keelson has changed. */
  readonly changed: number;
  readonly written: Comparison;
}

/** `flags` are those of Keelson. */
export async function compareOnOneEtcd(
  reference: Reference,
  resources: readonly ListedResource[],
  flags: readonly string[],
): Promise<OneEtcdResult> {
  const { credentials, etcdUrl } = reference;
  const keelson = await startKeelson({
    credentials,
    storage: 'etcd',
    flags: [`--etcd-servers=${etcdUrl}`, ...flags],
  });
  const [ours, theirs] = [createClient(keelson), createClient(reference)];
  try {
    const expected = await readLists(theirs, resources);
    const read = compareLists(expected, await readLists(ours, resources));
    const changed = await annotateAll(ours, expected);
    const written = compareLists(await readLists(ours, resources), await readLists(theirs, resources));
    return { read, changed, written };
  } finally {
    ours.close();
    theirs.close();
    await keelson.stop();
  }
}

/** Annotates every object of the suite's namespace, in each version. Returns the number of changes that were accepted. */
export async function annotateAll(client: Client, lists: Lists): Promise<number> {
  const body: JsonObject = { metadata: { annotations: { 'backup.example.com/changed-by': 'keelson' } } };
  let changed = 0;
  for (const [path, items] of lists)
    for (const name of items.keys()) {
      if (!name.startsWith(`${NAMESPACE}/`)) continue;
      const at = path.lastIndexOf('/');
      const target = `${path.slice(0, at)}/namespaces/${NAMESPACE}${path.slice(at)}/${name.slice(NAMESPACE.length + 1)}`;
      const type = 'application/merge-patch+json';
      const { status } = await ask(client, { method: 'PATCH', path: target, type, body }, new Map());
      if (status === 200) changed++;
    }
  return changed;
}
