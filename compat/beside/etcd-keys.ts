/**
 * The keys of an etcd, read through its JSON gateway. The suite compares what two servers store, so it reads without a
 * driver of either.
 */
import { prefixEnd } from '../../src/storage/keys.ts';

export interface StoredKey {
  readonly key: string;
  readonly value: Buffer;
  readonly createRevision: number;
  readonly modRevision: number;
  /** The number of writes since the key was created. */
  readonly version: number;
}

interface RangeAnswer {
  readonly header: { readonly revision: string };
  readonly kvs?: readonly {
    readonly key: string;
    readonly value?: string;
    readonly create_revision: string;
    readonly mod_revision: string;
    readonly version: string;
  }[];
}

export interface KeyRange {
  /** Only keys that were written at this revision or later, if they still exist. */
  readonly since?: number;
  /** Only the key that was written last at this revision. */
  readonly at?: number;
}

/** Returns the keys below a prefix in their order, and the revision of the read. Throws if etcd does not answer. */
export async function readKeys(
  etcdUrl: string,
  prefix: string,
  { since, at }: KeyRange = {},
): Promise<{ readonly keys: readonly StoredKey[]; readonly revision: number }> {
  const answer = await fetch(`${etcdUrl}/v3/kv/range`, {
    method: 'POST',
    body: JSON.stringify({
      key: encode(prefix),
      range_end: encode(prefixEnd(prefix) as string),
      ...(since !== undefined && { min_mod_revision: String(since) }),
      ...(at !== undefined && { min_mod_revision: String(at), max_mod_revision: String(at) }),
    }),
  });
  if (!answer.ok) throw new Error(`etcd: range of ${prefix}: ${answer.status} ${await answer.text()}`);
  const { header, kvs = [] } = (await answer.json()) as RangeAnswer;
  const keys = kvs.map((kv) => ({
    key: Buffer.from(kv.key, 'base64').toString('utf8'),
    value: Buffer.from(kv.value ?? '', 'base64'),
    createRevision: Number(kv.create_revision),
    modRevision: Number(kv.mod_revision),
    version: Number(kv.version),
  }));
  return { keys, revision: Number(header.revision) };
}

/** Returns one key, or undefined if it does not exist. */
export async function readKey(etcdUrl: string, key: string): Promise<StoredKey | undefined> {
  return (await readKeys(etcdUrl, key)).keys.find((found) => found.key === key);
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
