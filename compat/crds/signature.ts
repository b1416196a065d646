/** What differences have in common. Invariant: names, numbers and places do not count, so that one fault has one signature whatever object shows it. */
import type { Difference } from '../diff/compare.ts';

const LENGTH = 120;

/** Of the first difference; `beside` tells cases apart that must not be put together. */
export function signatureOf(differences: readonly Difference[], ...beside: readonly string[]): string {
  const [first] = differences;
  return [...beside, first?.where, first?.reference, first?.candidate]
    .map((text, i) => (i < beside.length ? text : rough(text ?? '')))
    .join('|');
}

function rough(text: string): string {
  return text
    .replace(/\[?"[^"]*"\]?/g, '""')
    .replace(/[\w.[\]-]*\.[\w.[\]-]+/g, '…')
    .replace(/\d+/g, '0')
    .slice(0, LENGTH);
}

/** True if the two tell of the same fault: the same place and, of causes, one in common. */
export function isSameFault(left: Difference, right: Difference): boolean {
  if (left.where !== right.where) return false;
  if (left.where !== 'causes') return true;
  const shares = (a: string, b: string): boolean =>
    a.split('; ').some((cause) => cause !== '' && b.split('; ').includes(cause));
  return shares(left.reference, right.reference) || shares(left.candidate, right.candidate);
}
