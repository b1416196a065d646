/** The interfaces of a move: the state that is moved, and the sources and targets of a move. */
import { waitForNextTurn } from '../../../base/next-turn.ts';

/** One stored key without its value. */
export interface MovedKey {
  /** The key below the prefix of a store, in the form of etcd: `pods/default/a`. */
  readonly path: string;
  readonly revision: number;
  readonly created: number;
  /** The time in milliseconds at which the key expires; 0 means never. */
  readonly expires: number;
}

/** A stored key with its value as it is stored, encrypted or not. */
export interface MovedItem extends MovedKey {
  readonly value: Uint8Array;
}

/**
 * The state of a store. Only its keys are in memory.
 * Invariant: a batch of values is read on demand, and the state does not keep it.
 */
export interface MovedState {
  /** The revision of the store. */
  readonly revision: number;
  /** In the order of the UTF-8 bytes of their paths. */
  readonly keys: readonly MovedKey[];
  /** Whether values may have encodings that an embedded store does not write: see `Storage.imported`. */
  readonly imported: boolean;
  /** Sentences about keys that were left out. */
  readonly notes: readonly string[];
  /** Reads the values of some of the state's keys, in the given order. A batch has about `BATCH_BYTES`. */
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

/** A batch ends once its values have this many bytes, or once it has this many values. */
export const BATCH_BYTES = 1_000_000;
const BATCH_KEYS = 1000;

/** Yields batches of a store whose values are read one by one. */
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
    // Lets other work run, such as progress reports and signals.
    await waitForNextTurn();
  }
}

/** Called with the progress of a step. */
export type Report = (step: string, done: number, total: number) => void;

export interface MoveSource {
  /** A name for messages: the path, or the URLs. */
  readonly name: string;
  /** The prefix of the keys. Encrypted values may be bound to it. */
  readonly prefix: string;
  /**
   * Reads the keys. Throws ConfigError if the source cannot be used, and StorageError if it is damaged or does not
   * answer.
   */
  read(report: Report): Promise<MovedState>;
}

export interface MoveTarget {
  readonly name: string;
  readonly prefix: string;
  /** Whether the private keys of kube-apiserver are moved to this target, too. */
  readonly takesPrivateKeys: boolean;
  /**
   * Called first, before the source is read. Throws ConfigError if the target is in use, unreachable, or not empty
   * without `replace`. Changes nothing.
   */
  check(): Promise<void>;
  /** Called once, after `check`. Writes the items in their order. From then on the target is unfinished. */
  write(items: MovedItems, report: Report): Promise<void>;
  /** Called after `write`. Reads the written keys. The caller closes the state before it calls another method. */
  readBack(report: Report): Promise<MovedState>;
  /** Called when the state that was read back equals the written one. Afterwards servers can use the target. */
  finish(): Promise<FinishedTarget>;
  /** Called last, also after a failure. Releases locks, and removes an unfinished target where this is possible. */
  close(): Promise<void>;
}

export interface FinishedTarget {
  /** The revision of the target, after which its next writes follow. */
  readonly revision: number;
  /** Sentences about resourceVersions and times to live. */
  readonly notes: readonly string[];
}

/** Returns the resource of a path: `pods`, `services/specs`, `example.com/widgets`. */
export function resourceOfPath(path: string): string {
  const [first = '', second = ''] = path.split('/', 2);
  return first.includes('.') || first === 'services' ? `${first}/${second}` : first;
}

const MINUTE = 60;
/** The shortest lease that etcd grants with its default timing. */
const LEAST_SECONDS = 2;

/**
 * Returns the seconds of the lease for a key that expires at this time. More than a minute is rounded up to minutes, so
 * that keys share leases, because granting a lease is a write.
 */
export function leaseSeconds(expires: number, now: number): number {
  const seconds = Math.max(LEAST_SECONDS, Math.ceil((expires - now) / 1000));
  return seconds <= MINUTE ? seconds : Math.ceil(seconds / MINUTE) * MINUTE;
}

/** The message about a source that has no keys below the prefix. `example` is any key of the source. */
export function noKeys(name: string, prefix: string, example: string | undefined): string {
  const present = example === undefined ? 'it is empty' : `it has other keys, such as ${JSON.stringify(example)}`;
  return `${name} has no keys below the prefix ${prefix}: ${present}`;
}
