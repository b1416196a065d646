/**
 * The signature of a difference. Invariant: names, numbers and positions do not count, so that one fault has one
 * signature in all objects.
 */
import type { Difference } from '../diff/compare.ts';

const LENGTH = 120;

/** Returns the signature of the first difference. `beside` distinguishes cases that must not be merged. */
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

/** Reports whether the two show the same fault: the same place and, for causes, one in common. */
export function isSameFault(left: Difference, right: Difference): boolean {
  if (left.where !== right.where) return false;
  if (left.where !== 'causes') return true;
  const shares = (a: string, b: string): boolean =>
    a.split('; ').some((cause) => cause !== '' && b.split('; ').includes(cause));
  return shares(left.reference, right.reference) || shares(left.candidate, right.candidate);
}
