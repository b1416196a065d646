/** Cell texts that the tables of several kinds share. */

const SHOWN = 3;

/** The first three of a list, separated by commas, and the number of the others: `a,b,c + 2 more...`. '' if empty. */
export function firstThree(texts: readonly string[]): string {
  const shown = texts.slice(0, SHOWN).join(',');
  return texts.length > SHOWN ? `${shown} + ${texts.length - SHOWN} more...` : shown;
}
