/** The nearest name to a misspelt one, for messages about unknown commands, flags and annotations. */

/** Returns the name with the fewest differences; undefined if none is similar. */
export function nearestName(wanted: string, names: Iterable<string>): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of names) {
    const distance = editDistance(wanted, name);
    if (best === undefined || distance < best.distance) best = { name, distance };
  }
  if (best === undefined || best.distance > Math.max(2, Math.floor(wanted.length / 4))) return undefined;
  return best.distance < best.name.length ? best.name : undefined;
}

/** Returns the number of insertions, deletions and replacements from one text to the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
