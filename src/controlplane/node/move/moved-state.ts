/** The state that is moved between stores, and the stores that it is read from and written to. */
import { waitForNextTurn } from '../../../base/next-turn.ts';

/** One stored key without its value. */
export interface MovedKey {
  /** The key below the prefix of a store, in the form of etcd: `pods/default/a`. */
  readonly path: string;
  readonly revision: number;
  readonly created: number;
  /** The time in milliseconds at which it expires; 0 means never. */
  readonly expires: number;
}

/** The value is passed as it is stored, encrypted or not. */
export interface MovedItem extends MovedKey {
  readonly value: Uint8Array;
}

/**
 * The state of a store. Only its keys are in memory.
 * Invariant: a batch of values is made when it is asked for, and the state keeps none of it.
 */
export interface MovedState {
  /** The revision of the store. */
  readonly revision: number;
  /** In the order of the UTF-8 bytes of their paths. */
  readonly keys: readonly MovedKey[];
  /** Whether values may have encodings that an embedded store does not write: see `Storage.imported`. */
  readonly imported: boolean;
  /** Sentences about keys that are not part of it. */
  readonly notes: readonly string[];
  /** Reads the values of some of `keys`, in this order. A batch has about `BATCH_BYTES`. */
  items(keys: readonly MovedKey[]): AsyncIterable<readonly MovedItem[]>;
  /** Releases the store. Called once, when no value is needed any more. */
  close(): Promise<void>;
}

/** The keys and values that a target stores. */
export interface MovedItems {
  /** The revision of the source. */
  readonly revision: number;
  readonly imported: boolean;
  /** The number of keys. */
  readonly total: number;
  /** In the order of revisions. Keys of one revision are in the order of their paths. Can be read once. */
  readonly batches: AsyncIterable<readonly MovedItem[]>;
}

/** The bytes of the values in a batch, and the number of them. One more value may be in it. */
export const BATCH_BYTES = 1_000_000;
const BATCH_KEYS = 1000;

/** Makes batches of a store whose values can be read one by one. */
export async function* inBatches(
  keys: readonly MovedKey[],
  read: (key: MovedKey) => Uint8Array,
): AsyncIterable<readonly MovedItem[]> {
  for (let done = 0; done < keys.length; ) {
    const batch: MovedItem[] = [];
    for (let bytes = 0; done < keys.length && bytes < BATCH_BYTES && batch.length < BATCH_KEYS; done++) {
      const key = keys[done] as MovedKey;
      const value = read(key);
      bytes += value.byteLength;
      batch.push({ ...key, value });
    }
    yield batch;
    // Other work, such as progress and signals, gets its turn.
    await waitForNextTurn();
  }
}

/** Reports the share of a step that is done. */
export type Report = (step: string, done: number, total: number) => void;

export interface MoveSource {
  /** A name for messages: the path, or the URLs. */
  readonly name: string;
  /** The prefix that encrypted values may be bound to. */
  readonly prefix: string;
  /** Reads the keys. Throws ConfigError if it cannot be used, and StorageError if it is damaged or does not answer. */
  read(report: Report): Promise<MovedState>;
}

export interface MoveTarget {
  readonly name: string;
  readonly prefix: string;
  /** Whether it takes the keys that kube-apiserver keeps for itself. */
  readonly takesPrivateKeys: boolean;
  /**
   * Called first, before the source is read. Throws ConfigError if the target is in use, unreachable, or not empty and
   * not to be replaced. Changes nothing.
   */
  check(): Promise<void>;
  /** Writes the items in their order. From here on the target is unfinished. */
  write(items: MovedItems, report: Report): Promise<void>;
  /** Reads the keys that were written. The caller closes the state before it calls another method. */
  readBack(report: Report): Promise<MovedState>;
  /** Called when the state that was read back is the one that was written. The target can be used then. */
  finish(): Promise<FinishedTarget>;
  /** Called last, also after a failure. Releases locks and removes what is not finished, where that is possible. */
  close(): Promise<void>;
}

export interface FinishedTarget {
  /** The revision after which writes continue. */
  readonly revision: number;
  /** Sentences about resourceVersions and times to live. */
  readonly notes: readonly string[];
}

/** The resource of a path: `pods`, `services/specs`, `example.com/widgets`. */
export function resourceOfPath(path: string): string {
  const [first = '', second = ''] = path.split('/', 2);
  return first.includes('.') || first === 'services' ? `${first}/${second}` : first;
}

const MINUTE = 60;
/** The shortest lease that etcd grants with its default timing. */
const LEAST_SECONDS = 2;

/**
 * The seconds of a lease for a key that expires at this time. More than a minute is rounded up to minutes, so that keys
 * share leases: each lease is a write of its own.
 */
export function leaseSeconds(expires: number, now: number): number {
  const seconds = Math.max(LEAST_SECONDS, Math.ceil((expires - now) / 1000));
  return seconds <= MINUTE ? seconds : Math.ceil(seconds / MINUTE) * MINUTE;
}

/** The sentence about a source without keys below the prefix. `example` is one of its keys. */
export function noKeys(name: string, prefix: string, example: string | undefined): string {
  const present = example === undefined ? 'it is empty' : `it has other keys, such as ${JSON.stringify(example)}`;
  return `${name} has no keys below the prefix ${prefix}: ${present}`;
}
