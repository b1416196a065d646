/** One thing that is asked of both sides: how to make questions, and what we answer. */
import type { JsonValue } from '../../src/base/json-value.ts';
import type { Random } from '../../test/fuzz/random.ts';
import type { Oracle, Question } from './oracle.ts';

/** Our answer, in the oracle's terms. */
export interface OurAnswer {
  readonly ok: boolean;
  /** Compared by value (key order does not count) with the oracle's `out`. */
  readonly out?: JsonValue;
  readonly error?: string;
  readonly list?: readonly string[];
}

export interface Subject {
  readonly name: string;
  /** Asks the oracle for what the questions need, once. */
  prepare?(oracle: Oracle): Promise<void>;
  ask(random: Random): Question;
  answer(question: Question): OurAnswer;
  /** What is compared of `out`, on both sides. Default: all of it. */
  view?(out: JsonValue): JsonValue;
  /** False where texts are not part of the contract: then only the fact of an error is compared. Default true. */
  readonly compareErrors?: boolean;
  /** A difference that docs/compatibility.md lists; the text names the line there. */
  known?(question: Question, ours: OurAnswer, theirs: OurAnswer): string | undefined;
}
