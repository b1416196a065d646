/**
 * Union, intersection and differences of field sets. Every operation takes time linear in the parts that the operands
 * do not share, and returns an operand itself where the result equals it.
 */
import { EMPTY_SET, FieldSet, findElement, LEAF } from './field-set.ts';
import { compareElements, type PathElement } from './path-element.ts';

/** The paths that are in either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || b === EMPTY_SET) return a;
  if (a === EMPTY_SET) return b;
  const isMember = a.isMember || b.isMember;
  const merged = new Parts();
  let sameAsA = isMember === a.isMember;
  let sameAsB = isMember === b.isMember;
  let [i, j] = [0, 0];
  while (i < a.elements.length && j < b.elements.length) {
    const order = compareElements(a.elements[i] as PathElement, b.elements[j] as PathElement);
    if (order < 0) {
      merged.take(a, i++);
      sameAsB = false;
    } else if (order > 0) {
      merged.take(b, j++);
      sameAsA = false;
    } else {
      const child = union(a.children[i] as FieldSet, b.children[j] as FieldSet);
      if (child !== a.children[i]) sameAsA = false;
      if (child !== b.children[j]) sameAsB = false;
      merged.add(a.elements[i] as PathElement, child);
      i++;
      j++;
    }
  }
  if (i < a.elements.length) sameAsB = false;
  if (j < b.elements.length) sameAsA = false;
  if (sameAsA) return a;
  if (sameAsB) return b;
  while (i < a.elements.length) merged.take(a, i++);
  while (j < b.elements.length) merged.take(b, j++);
  return merged.toSet(isMember);
}

/** The union of many sets, joined in pairs so that a large set is not copied for each small one. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  let level = sets;
  while (level.length > 1) {
    const next: FieldSet[] = [];
    for (let i = 0; i < level.length; i += 2) next.push(union(level[i] as FieldSet, level[i + 1] ?? EMPTY_SET));
    level = next;
  }
  return level[0] ?? EMPTY_SET;
}

/**
 * The ratio of sizes from which looking up the elements of the smaller set in the larger one is cheaper than walking
 * both.
 */
const UNEVEN = 16;

/** The paths that are in both sets; elements are those of `a`. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  if (a === EMPTY_SET || b === EMPTY_SET) return EMPTY_SET;
  if (a.elements.length * UNEVEN < b.elements.length || b.elements.length * UNEVEN < a.elements.length)
    return intersectUneven(a, b);
  const isMember = a.isMember && b.isMember;
  const shared = new Parts();
  let same = isMember === a.isMember;
  let [i, j] = [0, 0];
  while (i < a.elements.length && j < b.elements.length) {
    const order = compareElements(a.elements[i] as PathElement, b.elements[j] as PathElement);
    if (order < 0) {
      i++;
      same = false;
    } else if (order > 0) j++;
    else {
      const child = intersection(a.children[i] as FieldSet, b.children[j] as FieldSet);
      if (child !== a.children[i]) same = false;
      if (child !== EMPTY_SET) shared.add(a.elements[i] as PathElement, child);
      i++;
      j++;
    }
  }
  return same && i === a.elements.length ? a : shared.toSet(isMember);
}

function intersectUneven(a: FieldSet, b: FieldSet): FieldSet {
  const isMember = a.isMember && b.isMember;
  const shared = new Parts();
  const [few, many] = a.elements.length < b.elements.length ? [a, b] : [b, a];
  let same = isMember === a.isMember;
  for (let k = 0; k < few.elements.length; k++) {
    const at = findElement(many.elements, few.elements[k] as PathElement);
    if (at < 0) continue;
    const [i, j] = few === a ? [k, at] : [at, k];
    const child = intersection(a.children[i] as FieldSet, b.children[j] as FieldSet);
    if (child !== a.children[i]) same = false;
    if (child !== EMPTY_SET) shared.add(a.elements[i] as PathElement, child);
  }
  return same && shared.size === a.elements.length ? a : shared.toSet(isMember);
}

/** The paths of `a` that are not in `b`. A path stays where `b` has only its parent or its children. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false);
}

/** The paths of `a` that are not in `b` and have no ancestor there. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true);
}

function subtract(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet {
  if (a === EMPTY_SET || b === EMPTY_SET) return a;
  if (a === b) return EMPTY_SET;
  const isMember = a.isMember && !b.isMember;
  if (isMember === a.isMember && b.elements.length * UNEVEN < a.elements.length && !meets(a, b)) return a;
  let left: Parts | undefined = isMember === a.isMember ? undefined : new Parts();
  const isUneven = a.elements.length * UNEVEN < b.elements.length;
  let j = 0;
  for (let i = 0; i < a.elements.length; i++) {
    const element = a.elements[i] as PathElement;
    let order = 1;
    if (isUneven) {
      const at = findElement(b.elements, element);
      order = at < 0 ? 1 : 0;
      j = at < 0 ? j : at;
    } else {
      while (j < b.elements.length) {
        order = compareElements(b.elements[j] as PathElement, element);
        if (order >= 0) break;
        j++;
      }
    }
    const child = a.children[i] as FieldSet;
    const rest = j < b.elements.length && order === 0 ? minus(child, b.children[j] as FieldSet, recursive) : child;
    if (rest !== child) left ??= firstParts(a, i);
    if (rest !== EMPTY_SET) left?.add(element, rest);
  }
  return left === undefined ? a : left.toSet(isMember);
}

/** Whether any element of the smaller set is one of the larger. */
function meets(many: FieldSet, few: FieldSet): boolean {
  return few.elements.some((element) => findElement(many.elements, element) >= 0);
}

function minus(child: FieldSet, other: FieldSet, recursive: boolean): FieldSet {
  return recursive && other.isMember ? EMPTY_SET : subtract(child, other, recursive);
}

/** The members that have no member below them. */
export function leaves(set: FieldSet): FieldSet {
  if (set.elements.length === 0) return set;
  const kept = new Parts();
  let same = !set.isMember;
  for (let i = 0; i < set.elements.length; i++) {
    const child = leaves(set.children[i] as FieldSet);
    if (child !== set.children[i]) same = false;
    kept.add(set.elements[i] as PathElement, child);
  }
  return same ? set : kept.toSet(false);
}

function firstParts(set: FieldSet, count: number): Parts {
  const parts = new Parts();
  for (let i = 0; i < count; i++) parts.take(set, i);
  return parts;
}

/** The elements and children of a node under construction, added in ascending order. */
class Parts {
  readonly #elements: PathElement[] = [];
  readonly #children: FieldSet[] = [];

  add(element: PathElement, child: FieldSet): void {
    this.#elements.push(element);
    this.#children.push(child);
  }

  take(set: FieldSet, at: number): void {
    this.add(set.elements[at] as PathElement, set.children[at] as FieldSet);
  }

  get size(): number {
    return this.#elements.length;
  }

  toSet(isMember: boolean): FieldSet {
    if (this.#elements.length === 0) return isMember ? LEAF : EMPTY_SET;
    return new FieldSet(isMember, this.#elements, this.#children);
  }
}
