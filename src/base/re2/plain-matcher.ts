/**
 * The matcher of plain patterns: a lazily built DFA with one table lookup per character. Time is linear in the text.
 * Memory is bounded: the matcher gives up when a text needs too many states.
 */
import { OTHER, type PlainPattern, SYMBOLS } from './plain-pattern.ts';

const MAX_STATES = 200;
const UNKNOWN = -1;
/** The state from which no match is possible, and the state in which the text has matched. */
const DEAD = 0;
const DONE = 1;
const START = 2;

export class PlainMatcher {
  readonly #pattern: PlainPattern;
  /** States by the positions they stand for. */
  readonly #known = new Map<string, number>();
  /** The positions of each state. */
  readonly #positions: (readonly number[])[] = [[], [], []];
  readonly #accepts: boolean[] = [false, true];
  #next: Int16Array = new Int16Array(SYMBOLS * 8).fill(UNKNOWN);

  constructor(pattern: PlainPattern) {
    this.#pattern = pattern;
    this.#accepts.push(pattern.matchesEmpty);
    this.#next.fill(DEAD, 0, SYMBOLS);
    this.#next.fill(DONE, SYMBOLS, 2 * SYMBOLS);
  }

  /** Whether the pattern matches anywhere in the text. Undefined if that takes too many states. */
  test(text: string): boolean | undefined {
    let next = this.#next;
    let state = START;
    const { length } = text;
    if (this.#pattern.matchesEmpty && !this.#pattern.atEnd) return true;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      let symbol = unit;
      if (unit >= OTHER) {
        symbol = OTHER;
        // A surrogate pair is one character.
        if (unit >= 0xd800 && unit <= 0xdbff && i + 1 < length) {
          const low = text.charCodeAt(i + 1);
          if (low >= 0xdc00 && low <= 0xdfff) i++;
        }
      }
      let target = next[state * SYMBOLS + symbol] as number;
      if (target === UNKNOWN) {
        target = this.#step(state, symbol);
        if (target === UNKNOWN) return undefined;
        next = this.#next;
      }
      if (target <= DONE) return target === DONE;
      state = target;
    }
    return this.#accepts[state] as boolean;
  }

  #step(state: number, symbol: number): number {
    const { atStart, atEnd, first, follow, isLast, matchesEmpty, takes } = this.#pattern;
    const reached = new Set<number>();
    const add = (positions: readonly number[]): void => {
      for (const position of positions) if (takes[position]?.[symbol] === 1) reached.add(position);
    };
    for (const position of this.#positions[state] as readonly number[]) add(follow[position] as readonly number[]);
    // Without `^` a match may begin anywhere.
    if (state === START || !atStart) add(first);
    const positions = [...reached].sort((a, b) => a - b);
    const isEnd = positions.some((position) => isLast[position]) || (matchesEmpty && !atStart);
    const target = !atEnd && isEnd ? DONE : positions.length === 0 && atStart ? DEAD : this.#state(positions, isEnd);
    if (target !== UNKNOWN) this.#next[state * SYMBOLS + symbol] = target;
    return target;
  }

  #state(positions: readonly number[], accepts: boolean): number {
    const key = positions.join();
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const state = this.#positions.length;
    if (state >= MAX_STATES) return UNKNOWN;
    this.#known.set(key, state);
    this.#positions.push(positions);
    this.#accepts.push(accepts);
    if ((state + 1) * SYMBOLS > this.#next.length) {
      const larger = new Int16Array(this.#next.length * 2).fill(UNKNOWN);
      larger.set(this.#next);
      this.#next = larger;
    }
    return state;
  }
}
