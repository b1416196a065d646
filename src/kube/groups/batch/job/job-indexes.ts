/** Parser of the index lists of Indexed Jobs: `0,2-5,9`. */
import { quote } from '../../../../apimachinery/go-format.ts';
import { parseGoInt } from '../../../../apimachinery/scalars/go-number.ts';

export type ParsedIndexes =
  /** `count` is the number of indexes in the list. */
  { readonly ok: true; readonly count: number } | { readonly ok: false; readonly message: string };

type ParsedInterval =
  | { readonly ok: true; readonly first: number; readonly last: number }
  | { readonly ok: false; readonly message: string };

/** Parses a list of intervals. They must be in increasing order and below `completions`. */
export function parseIndexes(text: string, completions: number): ParsedIndexes {
  if (text === '') return { ok: true, count: 0 };
  let before: number | undefined;
  let count = 0;
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions);
    if (!interval.ok) return interval;
    if (before !== undefined && before >= interval.first) return notGrowing(before, interval.first);
    count += interval.last - interval.first + 1;
    before = interval.last;
  }
  return { ok: true, count };
}

/** Returns the first index that is in both lists, or undefined. Ignores malformed intervals. */
export function overlappingIndex(completed: string, failed: string, completions: number): number | undefined {
  const done = readableIntervals(completed, completions);
  const lost = readableIntervals(failed, completions);
  let i = 0;
  let j = 0;
  for (;;) {
    const a = done[i];
    const b = lost[j];
    if (a === undefined || b === undefined) return undefined;
    if (a.first <= b.last && b.first <= a.last) return Math.max(a.first, b.first);
    if (a.first <= b.first) i++;
    else j++;
  }
}

function readableIntervals(text: string, completions: number): readonly { first: number; last: number }[] {
  if (text === '') return [];
  return text.split(',').flatMap((part) => {
    const interval = parseInterval(part, completions);
    return interval.ok ? [interval] : [];
  });
}

function parseInterval(text: string, completions: number): ParsedInterval {
  const [low = '', high, ...more] = text.split('-');
  if (more.length > 0)
    return bad(
      `the fragment ${quote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    );
  const first = parseIndex(low, completions);
  if (typeof first === 'string') return bad(first);
  if (high === undefined) return { ok: true, first, last: first };
  const last = parseIndex(high, completions);
  if (typeof last === 'string') return bad(last);
  return first >= last ? notGrowing(first, last) : { ok: true, first, last };
}

/** Returns the index, or a message if the text is not a valid index. */
function parseIndex(text: string, completions: number): number | string {
  const parsed = parseGoInt(text, 'Atoi');
  if (!parsed.ok) return `cannot convert string to integer for index: ${quote(text)}`;
  return parsed.value >= completions ? `too large index: ${quote(text)}` : Number(parsed.value);
}

function notGrowing(before: number, now: number): { readonly ok: false; readonly message: string } {
  return bad(`non-increasing order, previous: ${before}, current: ${now}`);
}

function bad(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
