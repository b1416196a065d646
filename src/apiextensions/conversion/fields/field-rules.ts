/**
 * Field rules: the conversion between two versions as data. Invariant: rules are plain values. A list of rules is
 * applied in order, and a rule whose source is absent does nothing.
 *
 * The rules are in an annotation of the definition, which kube-apiserver stores and ignores.
 */
import type { JsonValue } from '../../../base/json-value.ts';

export const FIELD_RULES_ANNOTATION = 'keelson.dev/conversion';

/** A path such as `.spec.ports[*].port`: fields, and `[*]` for every item of a list. */
export type RulePath = readonly (string | typeof EVERY)[];

export const EVERY: unique symbol = Symbol('every item');

export type FieldRule =
  /** Moves a value. In lists it moves item by item: both paths are equal up to their last `[*]`. */
  | { readonly kind: 'move'; readonly from: RulePath; readonly to: RulePath }
  /** Sets a value where there is none. */
  | { readonly kind: 'default'; readonly path: RulePath; readonly value: JsonValue }
  /** Sets the value of the expression. `self` is the object before conversion; an empty optional removes the field. */
  | { readonly kind: 'set'; readonly path: RulePath; readonly expression: string }
  | { readonly kind: 'remove'; readonly path: RulePath };

/** The rules from one version to another. */
export interface VersionPair {
  readonly from: string;
  readonly to: string;
  readonly rules: readonly FieldRule[];
  /** Fields of `from` that may be lost. */
  readonly lossy: readonly string[];
}

export function formatRulePath(path: RulePath): string {
  return path.map((step) => (step === EVERY ? '[*]' : `.${step}`)).join('');
}

/** Returns the rules of the opposite direction, or undefined unless all rules are moves and defaults. */
export function inverse({ from, to, rules }: VersionPair): VersionPair | undefined {
  const back: FieldRule[] = [];
  for (const rule of [...rules].reverse()) {
    if (rule.kind === 'move') back.push({ kind: 'move', from: rule.to, to: rule.from });
    // A default needs no opposite: the value stays.
    else if (rule.kind !== 'default') return undefined;
  }
  return { from: to, to: from, rules: back, lossy: [] };
}
