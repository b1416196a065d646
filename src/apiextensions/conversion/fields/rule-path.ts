/** The paths of field rules, such as `.spec.ports[*].port`: names of fields, and `[*]` for every item of a list. */

export const EVERY: unique symbol = Symbol('every item');

export type RuleStep = string | typeof EVERY;
export type RulePath = readonly RuleStep[];

/**
 * Parses a path. Names that contain dots are quoted: `.metadata.annotations['a.b/c']`. Returns undefined for an invalid
 * path: an empty one, or one that begins or ends with `[*]`.
 */
export function parseRulePath(text: string): RulePath | undefined {
  const path: RuleStep[] = [];
  let rest = text;
  while (rest !== '') {
    const match = /^(?:\.([A-Za-z0-9_$-]+)|\['([^']+)'\]|(\[\*\]))/.exec(rest);
    if (match === null) return undefined;
    path.push(match[3] === undefined ? ((match[1] ?? match[2]) as string) : EVERY);
    rest = rest.slice(match[0].length);
  }
  const last = path.at(-1);
  return path.length === 0 || path[0] === EVERY || last === EVERY ? undefined : path;
}

export function formatRulePath(path: RulePath): string {
  return path.map(formatStep).join('');
}

function formatStep(step: RuleStep): string {
  if (step === EVERY) return '[*]';
  return /^[A-Za-z0-9_$-]+$/.test(step) ? `.${step}` : `['${step}']`;
}

export function samePath(left: RulePath, right: RulePath): boolean {
  return left.length === right.length && isWithin(left, right);
}

/** Reports whether a path is `parent` or below it. */
export function isWithin(path: RulePath, parent: RulePath): boolean {
  return path.length >= parent.length && parent.every((step, i) => step === path[i]);
}

/** Returns the part of a path up to its last `[*]`, which selects the items that the rest is relative to. */
export function itemPart(path: RulePath): RulePath {
  return path.slice(0, path.lastIndexOf(EVERY) + 1);
}

/** Returns the longest path that both paths begin with. */
export function commonPart(left: RulePath, right: RulePath): RulePath {
  let length = 0;
  while (length < left.length && length < right.length && left[length] === right[length]) length++;
  return left.slice(0, length);
}
