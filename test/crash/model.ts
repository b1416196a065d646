/**
 * The operations of the writers of the crash test.
 * Invariant: operation n of a writer, and the state of the writer's keys after it, depend on the seed only. So the
 * parent can compute every state that a restart may show.
 */

export interface CrashWrite {
  readonly key: string;
  /** Undefined deletes the key. */
  readonly value: Buffer | undefined;
}

export type CrashOperation =
  | { readonly kind: 'write'; readonly writes: readonly CrashWrite[] }
  /** Adds one to a counter that several writers share. */
  | { readonly kind: 'count'; readonly key: string }
  /** Creates a key that expires. */
  | { readonly kind: 'expire'; readonly key: string; readonly value: Buffer; readonly ttlMs: number };

const KEYS = 12;
export const COUNTERS = 4;

export class WriterModel {
  /** The keys of this writer and their values. */
  readonly values: Map<string, Buffer> = new Map();
  readonly #seed: number;
  readonly #writer: number;
  /** The number of operations applied. */
  done: number = 0;

  constructor(seed: number, writer: number) {
    this.#seed = seed;
    this.#writer = writer;
  }

  get prefix(): string {
    return `own/${String(this.#writer).padStart(3, '0')}/`;
  }

  /** The next operation. */
  next(): CrashOperation {
    const n = this.done;
    const random = randomFrom(this.#seed ^ Math.imul(this.#writer + 1, 0x9e3779b1) ^ Math.imul(n + 1, 0x85ebca6b));
    const dice = random(100);
    if (dice < 60) return { kind: 'write', writes: [this.#write(random(KEYS), n, random)] };
    if (dice < 80) {
      const first = random(KEYS);
      const count = 2 + random(4);
      return {
        kind: 'write',
        writes: Array.from({ length: count }, (_, i) => this.#write((first + i) % KEYS, n, random)),
      };
    }
    if (dice < 90) return { kind: 'count', key: `counter/${random(COUNTERS)}` };
    return {
      kind: 'expire',
      key: `expiring/${String(this.#writer).padStart(3, '0')}/${n}`,
      value: filler(n, 20 + random(200)),
      ttlMs: 200 + random(2000),
    };
  }

  apply(operation: CrashOperation): void {
    this.done++;
    if (operation.kind !== 'write') return;
    for (const { key, value } of operation.writes) {
      if (value === undefined) this.values.delete(key);
      else this.values.set(key, value);
    }
  }

  /** Every write is a change: an existing key is changed or deleted, a missing one is created. */
  #write(index: number, n: number, random: (below: number) => number): CrashWrite {
    const key = `${this.prefix}${index}`;
    const deletes = this.values.has(key) && random(3) === 0;
    return { key, value: deletes ? undefined : filler(n, 20 + random(random(20) === 0 ? 9000 : 1200)) };
  }
}

/** A value that contains the number of its operation, and in which every byte is determined. */
function filler(n: number, size: number): Buffer {
  const value = Buffer.alloc(size);
  for (let i = 0; i < size; i++) value[i] = (n * 31 + i * 7) & 0xff;
  value.writeUInt32LE(n, 0);
  return value;
}

/** A pseudorandom generator (xorshift32). */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed | 0 || 0x1d872b41;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}
