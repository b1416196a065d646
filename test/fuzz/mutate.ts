/** The mutation of bytes: a few small changes at random places, with words of the input's language. */
import type { Random } from './random.ts';

/** The maximum length of a mutated input. The stretch phase uses longer ones. */
export const MAX_MUTATED_BYTES = 8192;

type Mutation = (input: Buffer, random: Random, corpus: readonly Buffer[], words: readonly Buffer[]) => Buffer;

const MUTATIONS: readonly Mutation[] = [
  // flip one bit
  (input, random) => {
    const copy = Buffer.from(input);
    if (copy.length > 0) {
      const at = random.int(copy.length);
      copy[at] = (copy[at] as number) ^ (1 << random.int(8));
    }
    return copy;
  },
  // replace one byte by any other
  (input, random) => {
    const copy = Buffer.from(input);
    if (copy.length > 0) copy[random.int(copy.length)] = random.int(256);
    return copy;
  },
  // insert a word
  (input, random, _, words) => {
    const at = random.int(input.length + 1);
    return Buffer.concat([input.subarray(0, at), random.pick(words), input.subarray(at)]);
  },
  // overwrite with a word
  (input, random, _, words) => {
    const at = random.int(input.length + 1);
    const word = random.pick(words);
    return Buffer.concat([input.subarray(0, at), word, input.subarray(at + word.length)]);
  },
  // remove a slice
  (input, random) => {
    const from = random.int(input.length + 1);
    return Buffer.concat([input.subarray(0, from), input.subarray(from + random.int(16))]);
  },
  // repeat a slice, up to 64 times
  (input, random) => {
    const from = random.int(input.length + 1);
    const slice = input.subarray(from, from + 1 + random.int(24));
    const times = 1 + random.int(random.int(8) === 0 ? 64 : 3);
    return Buffer.concat([
      input.subarray(0, from),
      ...Array.from({ length: times }, () => slice),
      input.subarray(from),
    ]);
  },
  // join with another input
  (input, random, corpus) => {
    const other = random.pick(corpus);
    return Buffer.concat([
      input.subarray(0, random.int(input.length + 1)),
      other.subarray(random.int(other.length + 1)),
    ]);
  },
  // truncate
  (input, random) => input.subarray(0, random.int(input.length + 1)),
];

export function mutate(corpus: readonly Buffer[], words: readonly Buffer[], random: Random): Buffer {
  let input = random.pick(corpus);
  for (let left = 1 + random.int(4); left > 0; left--) input = random.pick(MUTATIONS)(input, random, corpus, words);
  return input.subarray(0, MAX_MUTATED_BYTES);
}

/** Repeats the input, or a slice of it, to about `size` bytes, to find super-linear work. */
export function stretch(input: Buffer, size: number, random: Random): Buffer {
  if (input.length === 0) return input;
  const from = random.int(input.length);
  const unit = input.subarray(from, from + 1 + random.int(input.length - from));
  const head = input.subarray(0, from);
  const times = Math.max(1, Math.floor((size - input.length) / unit.length));
  return Buffer.concat([
    head,
    ...Array.from({ length: times }, () => unit),
    input.subarray(from + unit.length),
  ]).subarray(0, size);
}
