/**
 * The scripts of the model test, as data: commands, each a burst of items that begin without waiting for each other.
 * Items are relative to the current state ("the revision of the key", "three revisions back"), so a script remains
 * valid when commands are removed.
 */
import { encodeUtf8 } from '../../base/bytes.ts';

/** The revision that a write expects: the key's revision, an older one, 0, or one that is not reached yet. */
export type Expected = 'right' | 'stale' | 'zero' | 'next';

/** The state to read: this many revisions before the current one (negative: after it). */
export type At =
  | { readonly back: number; readonly lookBack?: true }
  | { readonly atLeastBack: number }
  | { readonly now: true };

/** The action of a sink inside one of its calls. */
export interface Inside {
  readonly call: number;
  readonly act:
    | 'stop'
    | 'stop another'
    | 'write'
    | 'read'
    | 'ask for progress'
    | 'watch'
    | 'throw'
    | 'write and stop the store';
}

export type ScriptWrite =
  | { readonly type: 'put'; readonly key: string; readonly value: string; readonly ttlMs?: number }
  | { readonly type: 'delete'; readonly key: string };

export type Item =
  | { readonly op: 'create'; readonly key: string; readonly value: string; readonly ttlMs?: number }
  | {
      readonly op: 'write';
      readonly key: string;
      readonly expected: Expected;
      readonly value: string;
      readonly ttlMs?: number;
    }
  | { readonly op: 'delete'; readonly key: string; readonly expected?: Expected }
  | {
      readonly op: 'transact';
      readonly checks: readonly { readonly key: string; readonly expected: Expected }[];
      readonly writes: readonly ScriptWrite[];
    }
  | { readonly op: 'get'; readonly key: string; readonly at: At }
  | {
      readonly op: 'list';
      readonly prefix: string;
      readonly start?: string;
      readonly limit?: number;
      readonly countOnly?: true;
      readonly at: At;
    }
  /** Reads the next page of the last list that has one. */
  | { readonly op: 'next page' }
  /** A number in `from`: start after the revision this many revisions back. */
  | {
      readonly op: 'watch';
      readonly prefixes: readonly string[];
      readonly from: 'now' | 'state' | number;
      readonly lookBack?: true;
      readonly previous?: true;
      readonly inside?: Inside;
    }
  | { readonly op: 'stop watch' | 'ask for progress' | 'stop snapshot'; readonly index: number }
  | { readonly op: 'compact'; readonly back: number }
  | { readonly op: 'snapshot' }
  | {
      readonly op: 'read snapshot';
      readonly index: number;
      readonly key: string;
      readonly prefix: string;
      readonly limit: number;
    }
  | { readonly op: 'advance'; readonly ms: number }
  /** Lets other work run between two items. */
  | { readonly op: 'pause'; readonly turns: 'microtask' | 'turn' }
  /** Forks the store, from the snapshot with this index if there is one. */
  | { readonly op: 'fork'; readonly snapshot?: number }
  /** Must be the last item of a burst. */
  | { readonly op: 'reopen' }
  | { readonly op: 'stop'; readonly inside: boolean };

/** A burst of items on one store: the store that was opened, or a fork. */
export interface Command {
  readonly store: number;
  readonly items: readonly Item[];
}

export type Script = readonly Command[];

// Keys that are prefixes of each other, that sort around the separator, and at the limits of UTF-8 and of valid keys.
const KEYS = [
  '\u0001\u0002',
  'a',
  'a/',
  'a/b',
  'a/b/c',
  'a/b0',
  'a/\u00e9',
  'a/\ud7ff01f6a2',
  'b/1',
  'b/2',
  'b/3',
  'b/4',
  '\ud7ff10ffff',
];
const PREFIXES = ['', '', 'a', 'a/', 'a/b', 'b/', 'b/1', 'c', '\ud7ff10ffff', 'a/\u00e9'];
const STARTS = [...KEYS, 'a0', 'b', 'zz', '\ud7ff10ffff\ud7ff10ffff'];
const VALUES = ['', 'x', 'y', 'z', 'long'];
const TTLS = [1, 1500, 1900, 20_000, 20_400, 60_000.5, 1e15, 1e300];

/** The bytes for a word of a script; `long` does not fit into a page with other values. */
export function scriptValue(word: string): Uint8Array {
  return encodeUtf8(word === 'long' ? 'long '.repeat(500) : word);
}

export interface ScriptFeatures {
  readonly reopen: boolean;
  readonly fork: boolean;
  /** Whether scripts may have transactions, snapshots and `lookBack`. */
  readonly embedded: boolean;
  /** Whether scripts may have times to live. */
  readonly virtualTime: boolean;
}

/** Generates a script of up to `commands` commands. The same seed gives the same script. */
export function generateScript(seed: number, commands: number, features: ScriptFeatures): Script {
  const generator = new Generator(seed, features);
  const length = 1 + generator.int(commands);
  const script = Array.from({ length }, () => generator.command());
  return [...script, { store: 0, items: [...generator.writes(3), { op: 'stop', inside: generator.chance(0.5) }] }];
}

class Generator {
  #state: number;
  readonly #features: ScriptFeatures;

  constructor(seed: number, features: ScriptFeatures) {
    this.#state = seed >>> 0;
    this.#features = features;
  }

  int(below: number): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }

  chance(share: number): boolean {
    return this.int(1000) < share * 1000;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.int(from.length)] as T;
  }

  command(): Command {
    const features = this.#features;
    const store = this.chance(0.6) ? 0 : this.int(3);
    const roll = this.int(100);
    if (roll < 45) return { store, items: [this.item()] };
    if (roll < 60) return { store, items: this.writes(2 + this.int(5)) };
    if (roll < 88) return { store, items: this.#burst() };
    if (roll < 92 && features.reopen) return { store, items: [...this.#burst(), { op: 'reopen' }] };
    if (roll < 95 && features.fork) {
      const fork: Item = this.chance(0.5) ? { op: 'fork' } : { op: 'fork', snapshot: this.int(3) };
      return { store, items: [...this.writes(this.int(3)), fork, ...this.writes(this.int(2))] };
    }
    if (!features.virtualTime) return { store, items: this.writes(2) };
    return { store, items: [...this.writes(this.int(2)), { op: 'advance', ms: this.#ms() }] };
  }

  writes(count: number): Item[] {
    return Array.from({ length: count }, () => this.#write());
  }

  item(): Item {
    const roll = this.int(100);
    if (roll < 35) return this.#write();
    if (roll < 45) return { op: 'get', key: this.pick(KEYS), at: this.#at() };
    if (roll < 58) return this.#list();
    if (roll < 63) return { op: 'next page' };
    if (roll < 77) return this.#watch();
    if (roll < 81) return { op: 'stop watch', index: this.int(5) };
    if (roll < 86) return { op: 'ask for progress', index: this.int(5) };
    if (roll < 89) return { op: 'compact', back: this.int(12) - 1 };
    if (!this.#features.embedded) return this.#list();
    if (roll < 92) return { op: 'snapshot' };
    if (roll < 98) {
      const limit = this.int(4);
      return { op: 'read snapshot', index: this.int(3), key: this.pick(KEYS), prefix: this.pick(PREFIXES), limit };
    }
    return { op: 'stop snapshot', index: this.int(3) };
  }

  #burst(): Item[] {
    const items: Item[] = [];
    const length = 2 + this.int(6);
    let advanced = false;
    while (items.length < length) {
      const roll = this.int(100);
      if (roll < 15) items.push({ op: 'pause', turns: this.pick(['microtask', 'turn']) });
      else if (roll < 18 && !advanced && this.#features.virtualTime) {
        advanced = true;
        items.push({ op: 'advance', ms: this.#ms() });
      } else items.push(roll < 50 ? this.#write() : this.item());
    }
    return items;
  }

  #write(): Item {
    const roll = this.int(100);
    const key = this.pick(KEYS);
    if (roll < 25) return { op: 'create', key, value: this.pick(VALUES), ...this.#ttl() };
    if (roll < 55) return { op: 'write', key, expected: this.#expected(), value: this.pick(VALUES), ...this.#ttl() };
    if (roll < 75) return { op: 'delete', key, ...(this.chance(0.5) ? {} : { expected: this.#expected() }) };
    if (!this.#features.embedded) return { op: 'write', key, expected: 'right', value: this.pick(VALUES) };
    const keys = KEYS.filter(() => this.chance(0.2));
    return {
      op: 'transact',
      checks: Array.from({ length: this.int(3) }, () => ({ key: this.pick(KEYS), expected: this.#expected() })),
      writes: keys.map((each): ScriptWrite => {
        if (this.chance(0.3)) return { type: 'delete', key: each };
        return { type: 'put', key: each, value: this.pick(VALUES), ...this.#ttl() };
      }),
    };
  }

  #ttl(): { ttlMs?: number } {
    return this.#features.virtualTime && this.chance(0.15) ? { ttlMs: this.pick(TTLS) } : {};
  }

  #expected(): Expected {
    return this.pick(['right', 'right', 'right', 'right', 'right', 'stale', 'zero', 'next']);
  }

  #at(): At {
    const roll = this.int(10);
    if (roll < 4) return { now: true };
    const back = this.chance(0.1) ? -1 - this.int(3) : this.int(this.chance(0.2) ? 100 : 10);
    if (roll < 5) return { atLeastBack: back };
    return this.#lookBack(0.3) ? { back, lookBack: true } : { back };
  }

  #list(): Item {
    return {
      op: 'list',
      prefix: this.pick(PREFIXES),
      ...(this.chance(0.3) ? { start: this.pick(STARTS) } : {}),
      ...(this.chance(0.5) ? { limit: this.int(4) } : {}),
      ...(this.chance(0.2) ? { countOnly: true as const } : {}),
      at: this.#at(),
    };
  }

  #watch(): Item {
    const back = this.chance(0.15) ? -1 - this.int(4) : this.int(this.chance(0.3) ? 100 : 8);
    return {
      op: 'watch',
      prefixes: Array.from({ length: this.chance(0.7) ? 1 : this.int(4) }, () => this.pick(PREFIXES)),
      from: this.pick(['now', 'state', back, back]),
      ...(this.#lookBack(0.2) ? { lookBack: true as const } : {}),
      ...(this.chance(0.3) ? { previous: true as const } : {}),
      ...(this.chance(0.4) ? { inside: { call: this.int(4), act: this.#act() } } : {}),
    };
  }

  #lookBack(share: number): boolean {
    return this.#features.embedded && this.chance(share);
  }

  #act(): Inside['act'] {
    const acts = ['stop', 'stop another', 'write', 'write', 'read', 'ask for progress', 'watch', 'throw'] as const;
    return this.pick(acts);
  }

  #ms(): number {
    return this.pick([0, 1, 500, 1500, 5000, 21_000, 61_000, 4_000_000]);
  }
}

/** Returns the element at an index of a script, modulo the length of the list. */
export function at<T>(list: readonly T[], index: number): T | undefined {
  return list[index % Math.max(1, list.length)];
}
