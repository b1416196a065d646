/** Structured-merge-diff's `EnsureNamedFieldsAreMembers`: adds the named fields above the members of a field set. */
import { asMember, FieldSet } from '../field-set/field-set.ts';
import { KeyElement, type PathElement } from '../field-set/path-element.ts';
import type { MergeType } from './merge-type.ts';

/**
 * Returns the set with every named field of the type on the way to its members. Does not add keys of maps and items of
 * lists.
 */
export function ensureNamedFieldsAreMembers(set: FieldSet, type: MergeType | undefined): FieldSet {
  if (set.elements.length === 0 || type === undefined) return set;
  let children: FieldSet[] | undefined;
  for (let i = 0; i < set.elements.length; i++) {
    const element = set.elements[i] as PathElement;
    const child = set.children[i] as FieldSet;
    if (child.elements.length === 0) continue;
    let ensured = ensureNamedFieldsAreMembers(child, typeBelow(type, element));
    if (typeof element === 'string' && type.map?.isField(element) === true) ensured = asMember(ensured);
    if (ensured === child) continue;
    children ??= set.children.slice();
    children[i] = ensured;
  }
  return children === undefined ? set : new FieldSet(set.isMember, set.elements, children);
}

function typeBelow(type: MergeType, element: PathElement): MergeType | undefined {
  if (typeof element === 'string') return type.map?.typeOf(element);
  return element instanceof KeyElement ? type.list?.items : undefined;
}
