/**
 * A unified diff of two values as indented JSON, as kube-apiserver's messages show it. The algorithm is that of
 * Python's difflib, which the Go library reimplements, including its heuristic for frequent lines.
 */
import { isJsonObject, type JsonValue } from '../../base/json-value.ts';

const CONTEXT = 3;
/** In texts of at least this many lines, a line that makes up more than one percent does not begin a match. */
const FREQUENT_FROM = 200;
/** The matching takes quadratic time in the worst case, so longer texts are not compared. */
const MAX_LINES = 2000;

/**
 * The diff, with a newline after each line. '' for equal values, and for texts of more than 2,000 lines; kube-apiserver
 * has no such limit.
 */
export function unifiedDiff(old: JsonValue, next: JsonValue): string {
  const a = prettyLines(old);
  const b = prettyLines(next);
  if (a.length > MAX_LINES || b.length > MAX_LINES) return '';
  return groupEdits(findEdits(a, b))
    .map((group) => formatGroup(group, a, b))
    .join('');
}

/** Lines `a[a1..a2)` became `b[b1..b2)`. */
interface Edit {
  readonly same: boolean;
  readonly a1: number;
  readonly a2: number;
  readonly b1: number;
  readonly b2: number;
}

interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

function formatGroup(group: readonly Edit[], a: readonly string[], b: readonly string[]): string {
  const first = group[0] as Edit;
  const last = group[group.length - 1] as Edit;
  let text = `@@ -${formatRange(first.a1, last.a2)} +${formatRange(first.b1, last.b2)} @@\n`;
  for (const { same, a1, a2, b1, b2 } of group) {
    for (const line of a.slice(a1, a2)) text += `${same ? ' ' : '-'}${line}\n`;
    if (!same) for (const line of b.slice(b1, b2)) text += `+${line}\n`;
  }
  return text;
}

function formatRange(start: number, stop: number): string {
  const length = stop - start;
  return length === 1 ? String(start + 1) : `${length === 0 ? start : start + 1},${length}`;
}

/** Groups edits that are near each other, with three lines of context around each group. */
function groupEdits(edits: readonly Edit[]): Edit[][] {
  const groups: Edit[][] = [];
  let group: Edit[] = [];
  edits.forEach((edit, i) => {
    if (!edit.same) {
      group.push(edit);
      return;
    }
    const length = edit.a2 - edit.a1;
    const head = i === 0 ? 0 : Math.min(CONTEXT, length);
    const tail = i === edits.length - 1 ? 0 : Math.min(CONTEXT, length);
    if (i > 0 && i < edits.length - 1 && length <= 2 * CONTEXT) {
      group.push(edit);
      return;
    }
    if (head > 0) group.push({ ...edit, a2: edit.a1 + head, b2: edit.b1 + head });
    if (group.some(({ same }) => !same)) groups.push(group);
    group = tail > 0 ? [{ ...edit, a1: edit.a2 - tail, b1: edit.b2 - tail }] : [];
  });
  if (group.some(({ same }) => !same)) groups.push(group);
  return groups;
}

function findEdits(a: readonly string[], b: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  let [i, j] = [0, 0];
  for (const match of [...findMatches(a, b), { a: a.length, b: b.length, size: 0 }]) {
    if (i < match.a || j < match.b) edits.push({ same: false, a1: i, a2: match.a, b1: j, b2: match.b });
    i = match.a + match.size;
    j = match.b + match.size;
    if (match.size > 0) edits.push({ same: true, a1: match.a, a2: i, b1: match.b, b2: j });
  }
  return edits;
}

/** The longest common run of lines and, recursively, those on either side of it. Adjacent runs are merged. */
function findMatches(a: readonly string[], b: readonly string[]): Match[] {
  const places = placesOf(b);
  const found: Match[] = [];
  const search = (a1: number, a2: number, b1: number, b2: number): void => {
    const match = longestMatch(a, b, places, { same: true, a1, a2, b1, b2 });
    if (match.size === 0) return;
    search(a1, match.a, b1, match.b);
    const last = found[found.length - 1];
    if (last !== undefined && last.a + last.size === match.a && last.b + last.size === match.b)
      found[found.length - 1] = { ...last, size: last.size + match.size };
    else found.push(match);
    search(match.a + match.size, a2, match.b + match.size, b2);
  };
  search(0, a.length, 0, b.length);
  return found;
}

function placesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  lines.forEach((line, i) => {
    const known = places.get(line);
    if (known === undefined) places.set(line, [i]);
    else known.push(i);
  });
  const limit = lines.length >= FREQUENT_FROM ? Math.floor(lines.length / 100) + 1 : lines.length;
  for (const [line, own] of places) if (own.length > limit) places.delete(line);
  return places;
}

function longestMatch(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  { a1, a2, b1, b2 }: Edit,
): Match {
  let best: Match = { a: a1, b: b1, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = a1; i < a2; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] as string) ?? []) {
      if (j < b1 || j >= b2) continue;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  let { a: i, b: j, size } = best;
  while (i > a1 && j > b1 && a[i - 1] === b[j - 1]) {
    i--;
    j--;
    size++;
  }
  while (i + size < a2 && j + size < b2 && a[i + size] === b[j + size]) size++;
  return { a: i, b: j, size };
}

function prettyLines(value: JsonValue): readonly string[] {
  return pretty(value, '').split('\n');
}

/** Like Go's `json.MarshalIndent` with one space, including its escapes of HTML characters. */
function pretty(value: JsonValue, indent: string): string {
  const inner = `${indent} `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => inner + pretty(item, inner)).join(',\n')}\n${indent}]`;
  }
  if (isJsonObject(value)) {
    const entries = Object.entries(value);
    if (entries.length === 0) return '{}';
    return `{\n${entries.map(([key, item]) => `${inner}${quoted(key)}: ${pretty(item, inner)}`).join(',\n')}\n${indent}}`;
  }
  return typeof value === 'string' ? quoted(value) : String(value);
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
