/**
 * An estimate of the size of a compiled pattern, made without compiling it. It reads the text once. A malformed pattern
 * has a weight too.
 */

/** A Unicode class has many ranges; this is a rough average. An ASCII class counts as one character. */
const UNICODE_CLASS_WEIGHT = 20;

const REPEAT = /\{(\d{1,4})(?:(,)(\d{0,4}))?\}/y;

/** Approximately the number of instructions: one for each character, class and operator, multiplied by repetitions. */
export function patternWeight(pattern: string): number {
  // The weight of each open group so far. The last is the innermost.
  const groups: number[] = [0];
  let atom = 0;
  const add = (weight: number): void => {
    groups.push((groups.pop() as number) + weight);
  };
  for (let at = 0; at < pattern.length; ) {
    switch (pattern[at]) {
      case '(':
        groups.push(1);
        at++;
        continue;
      case ')':
        if (groups.length > 1) {
          atom = groups.pop() as number;
          add(atom);
        }
        at++;
        continue;
      case '{': {
        const times = timesAt(pattern, at);
        if (times === undefined) break;
        add(atom * (times.count - 1));
        atom *= times.count;
        at = times.end;
        continue;
      }
      case '\\': {
        const isUnicode = pattern[at + 1] === 'p' || pattern[at + 1] === 'P';
        atom = isUnicode ? UNICODE_CLASS_WEIGHT : 1;
        add(atom);
        at += isUnicode ? 2 + nameLength(pattern, at + 2) : 2;
        continue;
      }
      default:
        break;
    }
    atom = 1;
    add(atom);
    at++;
  }
  return groups.reduce((sum, weight) => sum + weight, 0);
}

/** Returns the length of the name of a Unicode class: `L`, `{Greek}`. */
function nameLength(pattern: string, at: number): number {
  const end = pattern[at] === '{' ? pattern.indexOf('}', at) : -1;
  return end < 0 ? 1 : end + 1 - at;
}

/** Returns the largest count of a repetition that begins at `{`. Undefined if the brace is a plain character. */
function timesAt(pattern: string, at: number): { readonly count: number; readonly end: number } | undefined {
  REPEAT.lastIndex = at;
  const found = REPEAT.exec(pattern);
  if (found === null) return undefined;
  const [text, min, comma, max] = found;
  const count = comma === undefined || max === '' ? Number(min) : Number(max);
  return { count: Math.max(1, count), end: at + text.length };
}
