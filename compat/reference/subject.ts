/** A subject of the comparison: its questions, and our answers. */
import type { JsonValue } from '../../src/base/json-value.ts';
import type { MaybePromise } from '../../src/base/maybe-promise.ts';
import type { Random } from '../../test/fuzz/random.ts';
import type { Oracle, Question } from './oracle.ts';

/** Our answer, in the oracle's terms. */
export interface OurAnswer {
  readonly ok: boolean;
  /** Compared with the oracle's `out` by value; the order of keys does not count. */
  readonly out?: JsonValue;
  readonly error?: string;
  readonly list?: readonly string[];
}

export interface Subject {
  readonly name: string;
  /** Asks the oracle once for what the questions need. */
  prepare?(oracle: Oracle): Promise<void>;
  ask(random: Random): Question;
  answer(question: Question): MaybePromise<OurAnswer>;
  /** Returns the compared part of `out`, on both sides. Default: all of it. */
  view?(out: JsonValue): JsonValue;
  /** False if texts are not part of the contract: then it is only compared whether there is an error. Default true. */
  readonly compareErrors?: boolean;
  /** Returns the name of a difference that docs/compatibility.md lists. */
  known?(question: Question, ours: OurAnswer, theirs: OurAnswer): string | undefined;
}
