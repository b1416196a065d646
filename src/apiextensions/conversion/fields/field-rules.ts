/**
 * Field rules: how objects of one version become objects of another, as data. Invariant: rules are plain values; a list of them is applied in order, and a rule whose source is absent does
 * nothing.
 *
 * They stand in an annotation of the definition, which a reference server keeps and ignores.
 */
import type { JsonValue } from '../../../base/json-value.ts';

export const FIELD_RULES_ANNOTATION = 'keelson.dev/conversion';

/** `.spec.ports[*].port`: fields, and `[*]` for every item of a list. */
export type RulePath = readonly (string | typeof EVERY)[];

export const EVERY: unique symbol = Symbol('every item');

export type FieldRule =
  /** The value goes from one place to another; in lists, item by item: both paths are then the same up to their last `[*]`. */
  | { readonly kind: 'move'; readonly from: RulePath; readonly to: RulePath }
  /** A value where there is none. */
  | { readonly kind: 'default'; readonly path: RulePath; readonly value: JsonValue }
  /** What the expression makes of the object as it was (`self`); an optional without a value removes the field. */
  | { readonly kind: 'set'; readonly path: RulePath; readonly expression: string }
  | { readonly kind: 'remove'; readonly path: RulePath };

/** The rules from one version to another. */
export interface VersionPair {
  readonly from: string;
  readonly to: string;
  readonly rules: readonly FieldRule[];
  /** Fields of `from` that may get lost: whoever wrote the rules knows it. */
  readonly lossy: readonly string[];
}

export function formatRulePath(path: RulePath): string {
  return path.map((step) => (step === EVERY ? '[*]' : `.${step}`)).join('');
}

/** The same rules read backwards, if there is only one way to do that: moves alone. */
export function inverse({ from, to, rules }: VersionPair): VersionPair | undefined {
  const back: FieldRule[] = [];
  for (const rule of [...rules].reverse()) {
    if (rule.kind === 'move') back.push({ kind: 'move', from: rule.to, to: rule.from });
    // What is only filled in stays where it is.
    else if (rule.kind !== 'default') return undefined;
  }
  return { from: to, to: from, rules: back, lossy: [] };
}
