/** Tolerations as several plugins read and join them. Invariant: pure; what was given is not changed. */
import { textAt } from '../../../apimachinery/meta/object-fields.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';

/** Both lists without those that another one covers. Of two that cover each other the first stays. */
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

/** Whether whatever `toleration` tolerates `wide` does too. */
export function coversToleration(wide: JsonObject, toleration: JsonObject): boolean {
  if (equalJson(wide, toleration)) return true;
  const operator = textAt(wide, 'operator');
  const key = textAt(wide, 'key');
  if (textAt(toleration, 'key') !== key && (key !== '' || operator !== 'Exists')) return false;
  const effect = textAt(wide, 'effect');
  if (textAt(toleration, 'effect') !== effect && effect !== '') return false;
  if (effect === 'NoExecute' && !lastsAsLong(wide, toleration)) return false;
  if (operator === 'Exists') return true;
  // An operator that was left out means Equal in the wide one, while the other has to say so.
  if (operator !== 'Equal' && operator !== '') return false;
  return textAt(toleration, 'operator') === 'Equal' && textAt(toleration, 'value') === textAt(wide, 'value');
}

function lastsAsLong(wide: JsonObject, toleration: JsonObject): boolean {
  const longest = wide['tolerationSeconds'];
  if (longest === undefined) return true;
  const seconds = toleration['tolerationSeconds'];
  return seconds !== undefined && Number(seconds) <= Number(longest);
}
