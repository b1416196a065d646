/**
 * Filters over field sets: which fields of a request count as owned by its manager. A strategy's reset fields are an
 * exclude filter; the resize subresource of pods includes by pattern (structured-merge-diff `fieldpath.Filter`).
 */
import { EMPTY_SET, FieldSet } from './field-set.ts';
import { compareElements, type PathElement } from './path-element.ts';
import { recursiveDifference } from './set-algebra.ts';

/** Called for the sets of one request at a time. Returns the filtered set; the argument is immutable. */
export interface SetFilter {
  (set: FieldSet): FieldSet;
  /** Of an exclude filter: the paths that it removes. */
  readonly excluded?: FieldSet;
}

/** Removes the paths of `excluded` and everything below them. */
export function excludeFilter(excluded: FieldSet): SetFilter {
  return Object.assign((set: FieldSet) => recursiveDifference(set, excluded), { excluded });
}

/**
 * Keeps the paths that begin with one of the patterns, and the parents on the way that a pattern passes through. No
 * pattern keeps everything.
 */
export function includeFilter(...patterns: readonly PathPattern[]): SetFilter {
  if (patterns.length === 0) return (set) => set;
  const matcher = patterns.map(matcherOf).reduce(mergeMatchers);
  return (set) => filterMatches(set, matcher);
}

/** Stands for every element in a pattern. */
export const ANY_ELEMENT: unique symbol = Symbol('any element');

/** The beginning of paths. */
export type PathPattern = readonly (PathElement | typeof ANY_ELEMENT)[];

/**
 * Patterns as a trie; `everything` matches each set as it is. Invariant: the branch of ANY_ELEMENT is first, and the
 * first match decides.
 */
interface Matcher {
  readonly everything: boolean;
  readonly branches: readonly Branch[];
}

interface Branch {
  readonly element: PathElement | typeof ANY_ELEMENT;
  readonly below: Matcher;
}

const EVERYTHING: Matcher = { everything: true, branches: [] };

function matcherOf(pattern: PathPattern): Matcher {
  return pattern.reduceRight<Matcher>(
    (below, element) => ({ everything: false, branches: [{ element, below }] }),
    EVERYTHING,
  );
}

function mergeMatchers(a: Matcher, b: Matcher): Matcher {
  if (a.everything || b.everything) return EVERYTHING;
  const branches = [...a.branches];
  for (const branch of b.branches) {
    const at = branches.findIndex(({ element }) => compareBranches(element, branch.element) === 0);
    if (at < 0) branches.push(branch);
    else branches[at] = { ...branch, below: mergeMatchers((branches[at] as Branch).below, branch.below) };
  }
  return { everything: false, branches: branches.sort((x, y) => compareBranches(x.element, y.element)) };
}

function compareBranches(a: Branch['element'], b: Branch['element']): number {
  if (a === b) return 0;
  if (a === ANY_ELEMENT) return -1;
  return b === ANY_ELEMENT ? 1 : compareElements(a, b);
}

function filterMatches(set: FieldSet, matcher: Matcher): FieldSet {
  if (matcher.everything) return set;
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  for (let i = 0; i < set.elements.length; i++) {
    const element = set.elements[i] as PathElement;
    const branch = matcher.branches.find(
      (candidate) => candidate.element === ANY_ELEMENT || compareElements(candidate.element, element) === 0,
    );
    const kept = branch === undefined ? EMPTY_SET : filterMatches(set.children[i] as FieldSet, branch.below);
    if (kept.isEmpty) continue;
    elements.push(element);
    children.push(kept);
  }
  return elements.length === 0 && !set.isMember ? EMPTY_SET : new FieldSet(set.isMember, elements, children);
}
