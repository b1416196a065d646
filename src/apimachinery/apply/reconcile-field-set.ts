/**
 * Reconciliation of field sets that were written under an earlier schema. If a list or object has become atomic since
 * then, an owner of its parts now owns the whole value. The other direction needs no change: the owner of a value that
 * was atomic and is granular now owns only its path.
 */
import { FieldSet, LEAF } from '../field-set/field-set.ts';
import type { PathElement } from '../field-set/path-element.ts';
import { LIST, MAP, type MergeType } from './merge-type.ts';

/**
 * Returns the set under the present type; the set itself if nothing changes. Keeps fields that the type does not have.
 */
export function reconcileFieldSet(set: FieldSet, type: MergeType): FieldSet {
  if (set.elements.length === 0 || isAtomic(type)) return set;
  let children: FieldSet[] | undefined;
  for (let i = 0; i < set.elements.length; i++) {
    const child = set.children[i] as FieldSet;
    if (child.elements.length === 0) continue;
    const below = typeBelow(type, set.elements[i] as PathElement);
    if (below === undefined) continue;
    const reconciled = isAtomic(below) ? LEAF : reconcileFieldSet(child, below);
    if (reconciled === child) continue;
    children ??= set.children.slice();
    children[i] = reconciled;
  }
  return children === undefined ? set : new FieldSet(set.isMember, set.elements, children);
}

/** A set does not record the kind of a value. A type that allows several kinds is treated as an object. */
function isAtomic(type: MergeType): boolean {
  if (type.fallback === MAP) return type.map?.atomic === true && !type.map.isDeduced;
  return type.fallback === LIST && type.list?.relation === 'atomic';
}

function typeBelow(type: MergeType, element: PathElement): MergeType | undefined {
  if (type.fallback === LIST) return type.list?.items;
  if (type.map === undefined || type.fallback !== MAP || type.map.isDeduced) return undefined;
  return typeof element === 'string' ? type.map.typeOf(element) : type.map.values;
}
