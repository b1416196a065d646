/**
 * The comparison of what was written with what was read, and its result per resource: the number of keys and a SHA-256
 * over them. The hash is over each key without its prefix and its value, both preceded by their length, in the order of
 * the keys. So it is the same for every store that holds the same.
 */
import { createHash, type Hash } from 'node:crypto';
import { encodeUtf8, equalBytes } from '../../../base/bytes.ts';
import { type MovedItem, resourceOfPath } from './moved-state.ts';

export interface ResourceTally {
  readonly resource: string;
  readonly objects: number;
  /** The bytes of the values. */
  readonly bytes: number;
  readonly sha256: string;
}

export interface StateComparison {
  /** In the order of their names. */
  readonly resources: readonly ResourceTally[];
  /** The number of keys whose time to live ended meanwhile. They are not counted. */
  readonly expired: number;
  /** One sentence for each key that is missing, unexpected or different; at most 100. */
  readonly differences: readonly string[];
}

const MOST_DIFFERENCES = 100;

/** Both lists must be in the order of their paths. `now` is the time after the second one was read. */
export function compareStates(
  written: readonly MovedItem[],
  found: readonly MovedItem[],
  now: number,
): StateComparison {
  const tallies = new Map<string, Tally>();
  const differences: string[] = [];
  const differ = (sentence: string): void => {
    if (differences.length < MOST_DIFFERENCES) differences.push(sentence);
  };
  let expired = 0;
  let at = 0;
  for (const item of written) {
    for (; at < found.length && (found[at] as MovedItem).path < item.path; at++)
      differ(`${(found[at] as MovedItem).path} is there and was not written`);
    const other = found[at]?.path === item.path ? found[at++] : undefined;
    if (other === undefined) {
      if (item.expires !== 0 && item.expires <= now) expired++;
      else differ(`${item.path} is missing`);
      continue;
    }
    if (!equalBytes(item.value, other.value)) differ(`${item.path} has another value`);
    else if ((item.expires === 0) !== (other.expires === 0)) differ(`${item.path} has another time to live`);
    tallyOf(tallies, item.path).add(other);
  }
  for (; at < found.length; at++) differ(`${(found[at] as MovedItem).path} is there and was not written`);
  const resources = [...tallies].map(([resource, tally]) => tally.end(resource));
  return { resources: resources.sort((a, b) => (a.resource < b.resource ? -1 : 1)), expired, differences };
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
