/** The comparison and the merge of tolerations. */
import { textAt } from '../../../apimachinery/meta/object-fields.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';

/**
 * Joins both lists and drops tolerations that another one covers. Of two that cover each other the first is kept. The
 * arguments are not modified.
 */
export function mergeTolerations(first: readonly JsonObject[], second: readonly JsonObject[]): JsonObject[] {
  const all = [...first, ...second];
  const merged: JsonObject[] = [];
  for (const [i, toleration] of all.entries()) {
    const covered =
      merged.some((kept) => coversToleration(kept, toleration)) ||
      all.slice(i + 1).some((later) => !equalJson(later, toleration) && coversToleration(later, toleration));
    if (!covered) merged.push(toleration);
  }
  return merged;
}

/** Returns true if `wide` tolerates every taint that `toleration` tolerates, for at least as long. */
export function coversToleration(wide: JsonObject, toleration: JsonObject): boolean {
  if (equalJson(wide, toleration)) return true;
  const operator = textAt(wide, 'operator');
  const key = textAt(wide, 'key');
  if (textAt(toleration, 'key') !== key && (key !== '' || operator !== 'Exists')) return false;
  const effect = textAt(wide, 'effect');
  if (textAt(toleration, 'effect') !== effect && effect !== '') return false;
  if (effect === 'NoExecute' && !lastsAsLong(wide, toleration)) return false;
  if (operator === 'Exists') return true;
  // As in the reference, an absent operator means Equal in `wide` only; the other must have the operator Equal.
  if (operator !== 'Equal' && operator !== '') return false;
  return textAt(toleration, 'operator') === 'Equal' && textAt(toleration, 'value') === textAt(wide, 'value');
}

function lastsAsLong(wide: JsonObject, toleration: JsonObject): boolean {
  const longest = wide['tolerationSeconds'];
  if (longest === undefined) return true;
  const seconds = toleration['tolerationSeconds'];
  return seconds !== undefined && Number(seconds) <= Number(longest);
}
