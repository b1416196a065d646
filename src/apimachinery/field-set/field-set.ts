/**
 * A set of field paths: an immutable trie with the shape of FieldsV1. Operations share every subtree that they do not
 * change, so equal parts of two sets are often one object, and `===` decides most comparisons.
 *
 * Invariant: `elements` is strictly ascending in the order of `compareElements`, `children` is parallel to it, and a
 * child is a member or has elements of its own.
 */
import { compareElements, type Path, type PathElement } from './path-element.ts';

export class FieldSet {
  /** True if the path that leads here is in the set itself. False at a root: the whole object has no owner. */
  readonly isMember: boolean;
  readonly elements: readonly PathElement[];
  readonly children: readonly FieldSet[];

  /** Takes ownership of both arrays. They must keep the invariant; `createFieldSet` sorts. */
  constructor(isMember: boolean, elements: readonly PathElement[], children: readonly FieldSet[]) {
    this.isMember = isMember;
    this.elements = elements;
    this.children = children;
  }

  /** True if no path is in the set. */
  get isEmpty(): boolean {
    return !this.isMember && this.elements.length === 0;
  }

  /** True if the path that leads here is a member and no path below it is. */
  get isLeaf(): boolean {
    return this.isMember && this.elements.length === 0;
  }

  /** The number of members. */
  get size(): number {
    let size = this.isMember ? 1 : 0;
    for (const child of this.children) size += child.size;
    return size;
  }

  /** The subset of paths that begin with `element`, without it; undefined if there is none. */
  child(element: PathElement): FieldSet | undefined {
    const at = findElement(this.elements, element);
    return at < 0 ? undefined : this.children[at];
  }

  /** The empty path is never a member. */
  has(path: Path): boolean {
    let at: FieldSet | undefined = this;
    for (const element of path) {
      at = at.child(element);
      if (at === undefined) return false;
    }
    return path.length > 0 && at.isMember;
  }

  /** Yields all members. The members of a level precede those of the levels below it. */
  *paths(): Generator<Path> {
    yield* pathsBelow(this, []);
  }
}

function* pathsBelow(set: FieldSet, prefix: Path): Generator<Path> {
  for (let i = 0; i < set.elements.length; i++)
    if ((set.children[i] as FieldSet).isMember) yield [...prefix, set.elements[i] as PathElement];
  for (let i = 0; i < set.elements.length; i++) {
    const child = set.children[i] as FieldSet;
    if (child.elements.length > 0) yield* pathsBelow(child, [...prefix, set.elements[i] as PathElement]);
  }
}

/** The set without paths. */
export const EMPTY_SET: FieldSet = new FieldSet(false, [], []);

/** A member without children: the last node of most paths. */
export const LEAF: FieldSet = new FieldSet(true, [], []);

/** The position of an element; negative (`-1 - place`) if it is absent, where `place` is where it belongs. */
export function findElement(elements: readonly PathElement[], element: PathElement): number {
  let low = 0;
  let high = elements.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const order = compareElements(elements[middle] as PathElement, element);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1 - low;
}

/**
 * Returns a node with these parts, which may be in any order; the elements must differ. Takes ownership of both arrays
 * and sorts them in place.
 */
export function createFieldSet(isMember: boolean, elements: PathElement[], children: FieldSet[]): FieldSet {
  if (elements.length === 0) return isMember ? LEAF : EMPTY_SET;
  sortParts(elements, children);
  return new FieldSet(isMember, elements, children);
}

/**
 * The largest number of elements that are sorted by insertion. Most levels are short, and fields of typed objects are
 * often in order already.
 */
const MAX_INSERTIONS = 64;

function sortParts(elements: PathElement[], children: FieldSet[]): void {
  if (elements.length > MAX_INSERTIONS) {
    sortManyParts(elements, children);
    return;
  }
  for (let i = 1; i < elements.length; i++) {
    const element = elements[i] as PathElement;
    let at = i;
    while (at > 0 && compareElements(elements[at - 1] as PathElement, element) > 0) at--;
    if (at === i) continue;
    const child = children[i] as FieldSet;
    for (let j = i; j > at; j--) {
      elements[j] = elements[j - 1] as PathElement;
      children[j] = children[j - 1] as FieldSet;
    }
    elements[at] = element;
    children[at] = child;
  }
}

function sortManyParts(elements: PathElement[], children: FieldSet[]): void {
  const order = elements
    .map((element, i) => ({ element, child: children[i] as FieldSet }))
    .sort((a, b) => compareElements(a.element, b.element));
  for (const [i, { element, child }] of order.entries()) {
    elements[i] = element;
    children[i] = child;
  }
}

/** The set of the given paths; the empty path adds nothing. */
export function fieldSetOf(...paths: readonly Path[]): FieldSet {
  return paths.reduce((set, path) => (path.length === 0 ? set : insert(set, path, 0)), EMPTY_SET);
}

function insert(set: FieldSet, path: Path, depth: number): FieldSet {
  if (depth === path.length) return set.isMember ? set : asMember(set);
  const element = path[depth] as PathElement;
  const at = findElement(set.elements, element);
  const child = insert(at < 0 ? EMPTY_SET : (set.children[at] as FieldSet), path, depth + 1);
  if (at < 0)
    return new FieldSet(
      set.isMember,
      set.elements.toSpliced(-1 - at, 0, element),
      set.children.toSpliced(-1 - at, 0, child),
    );
  return new FieldSet(set.isMember, set.elements, set.children.with(at, child));
}

/** The same subtree with its own path as a member. */
export function asMember(set: FieldSet): FieldSet {
  if (set.isMember) return set;
  return set.elements.length === 0 ? LEAF : new FieldSet(true, set.elements, set.children);
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.isMember !== b.isMember || a.elements.length !== b.elements.length) return false;
  for (let i = 0; i < a.elements.length; i++) {
    if (compareElements(a.elements[i] as PathElement, b.elements[i] as PathElement) !== 0) return false;
    if (!equalSets(a.children[i] as FieldSet, b.children[i] as FieldSet)) return false;
  }
  return true;
}
