/**
 * Compares the state that was written with the state that is read back. The result has the number of keys and a SHA-256
 * per resource. The hash covers each key without its prefix and its value, both preceded by their length, in the order
 * of the UTF-8 bytes of the keys. It is therefore equal for all stores with the same contents.
 * Invariant: values are not kept in memory, only their hashes.
 */
import { createHash, type Hash } from 'node:crypto';
import { encodeUtf8, equalBytes } from '../../../base/bytes.ts';
import { comparePaths } from '../../../storage/keys.ts';
import { type MovedItem, type MovedKey, type MovedState, resourceOfPath } from './moved-state.ts';

export interface ResourceTally {
  readonly resource: string;
  readonly objects: number;
  /** The bytes of the values. */
  readonly bytes: number;
  readonly sha256: string;
}

export interface StateComparison {
  /** Resources in the order of their names. */
  readonly resources: readonly ResourceTally[];
  /** The number of keys whose time to live ended meanwhile. They are not counted. */
  readonly expired: number;
  /** One sentence for each key that is missing, unexpected or different; at most 100. */
  readonly differences: readonly string[];
}

const MOST_DIFFERENCES = 100;

/** The written keys, in the order of their paths, and a hash of each value. */
export class WrittenKeys {
  readonly keys: readonly MovedKey[];
  /** The indexes of `keys` in the order of revisions. Keys of one revision are in the order of their paths. */
  readonly #order: Uint32Array;
  readonly #hashes: Uint8Array;

  constructor(keys: readonly MovedKey[]) {
    this.keys = keys;
    const revision = (index: number): number => (keys[index] as MovedKey).revision;
    this.#order = Uint32Array.from(keys.keys()).sort((a, b) => revision(a) - revision(b) || a - b);
    this.#hashes = new Uint8Array(keys.length * HASH_BYTES);
  }

  /** Yields the items of the state in the order of revisions, and keeps the hashes of their values. */
  async *read(state: Pick<MovedState, 'items'>): AsyncIterable<readonly MovedItem[]> {
    let at = 0;
    const ordered = Array.from(this.#order, (index) => this.keys[index] as MovedKey);
    for await (const batch of state.items(ordered)) {
      for (const { value } of batch) this.#hashes.set(hashOf(value), (this.#order[at++] as number) * HASH_BYTES);
      yield batch;
    }
  }

  /** Whether the key with this index was written with the value. */
  hasValue(index: number, value: Uint8Array): boolean {
    return equalBytes(this.#hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES), hashOf(value));
  }
}

const HASH_BYTES = 32;

function hashOf(value: Uint8Array): Uint8Array {
  return createHash('sha256').update(value).digest();
}

export interface CompareOptions {
  /** Returns the current time. Called after the state was read. */
  readonly now: () => number;
  /** Called with the number of keys compared so far. */
  onProgress(done: number): void;
}

/** Reads the values of a state and compares them with the written ones. */
export async function compareStates(
  written: WrittenKeys,
  found: MovedState,
  { now, onProgress }: CompareOptions,
): Promise<StateComparison> {
  const tallies = new Map<string, Tally>();
  const differences: string[] = [];
  const differ = (sentence: string): void => {
    if (differences.length < MOST_DIFFERENCES) differences.push(sentence);
  };
  const missing: MovedKey[] = [];
  const { keys } = written;
  let at = 0;
  let done = 0;
  for await (const batch of found.items(found.keys)) {
    for (const item of batch) {
      let order = -1;
      for (; at < keys.length; at++) {
        order = comparePaths((keys[at] as MovedKey).path, item.path);
        if (order >= 0) break;
        missing.push(keys[at] as MovedKey);
        order = -1;
      }
      const key = order === 0 ? (keys[at] as MovedKey) : undefined;
      if (key === undefined) {
        differ(`${item.path} is there and was not written`);
        continue;
      }
      if (!written.hasValue(at, item.value)) differ(`${item.path} has another value`);
      else if ((item.expires === 0) !== (key.expires === 0)) differ(`${item.path} has another time to live`);
      tallyOf(tallies, item.path).add(item);
      at++;
    }
    done += batch.length;
    onProgress(done);
  }
  for (; at < keys.length; at++) missing.push(keys[at] as MovedKey);
  const time = now();
  const lost = missing.filter(({ expires }) => expires === 0 || expires > time);
  const all = [...lost.slice(0, MOST_DIFFERENCES).map(({ path }) => `${path} is missing`), ...differences];
  const resources = [...tallies].map(([resource, tally]) => tally.end(resource));
  return {
    resources: resources.sort((a, b) => (a.resource < b.resource ? -1 : 1)),
    expired: missing.length - lost.length,
    differences: all.slice(0, MOST_DIFFERENCES),
  };
}

function tallyOf(tallies: Map<string, Tally>, path: string): Tally {
  const resource = resourceOfPath(path);
  let tally = tallies.get(resource);
  if (tally === undefined) {
    tally = new Tally();
    tallies.set(resource, tally);
  }
  return tally;
}

class Tally {
  readonly #hash: Hash = createHash('sha256');
  readonly #length = new DataView(new ArrayBuffer(8));
  #objects = 0;
  #bytes = 0;

  add({ path, value }: MovedItem): void {
    const key = encodeUtf8(path);
    this.#length.setUint32(0, key.byteLength);
    this.#length.setUint32(4, value.byteLength);
    this.#hash.update(new Uint8Array(this.#length.buffer)).update(key).update(value);
    this.#objects++;
    this.#bytes += value.byteLength;
  }

  end(resource: string): ResourceTally {
    return { resource, objects: this.#objects, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}
