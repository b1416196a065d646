/** Compares printed output with the output in a guide. Values that differ from run to run are equal: ages, ports, folders, counts. */

const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\b\d+ objects\b/g, 'N objects'],
  [/\brevision \d+/g, 'revision N'],
  [/\bprocess \d+/g, 'process N'],
  [/\b\d+(\.\d+)? [kMG]B\b/g, 'SIZE'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'DATE'],
  [/\b\d+(\.\d+)? ?(ms|s|m|h)\b/g, 'TIME'],
  [/(127\.0\.0\.1|localhost):\d+/g, '$1:PORT'],
  [/(\/[\w.@-]+)+(?=\/[\w.-]+)/g, 'FOLDER'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID'],
  [/\s+/g, ' '],
];

function normalised(line: string): string {
  return VOLATILE.reduce((text, [pattern, by]) => text.replace(pattern, by), line).trim();
}

/** Reports whether the output has the expected lines, in order and without others between them, except at `...`. */
export function matchesOutput(expected: readonly string[], output: string): boolean {
  const wanted = expected.map(normalised);
  const printed = output
    .split('\n')
    .map(normalised)
    .filter((line) => line !== '');
  return matches(wanted, 0, printed, 0);
}

function matches(wanted: readonly string[], i: number, printed: readonly string[], j: number): boolean {
  if (i === wanted.length) return j === printed.length;
  if (wanted[i] === '...') {
    for (let skip = j; skip <= printed.length; skip++) if (matches(wanted, i + 1, printed, skip)) return true;
    return false;
  }
  return wanted[i] === printed[j] && matches(wanted, i + 1, printed, j + 1);
}
