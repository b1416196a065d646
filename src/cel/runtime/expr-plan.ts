/**
 * The intermediate form of an expression between tree and closure. Constants and attributes stay data until the
 * enclosing expression is known, because cel-go evaluates some combinations of them at lower costs.
 */
import type { Value } from '../values.ts';
import { type Attribute, attributeStep } from './attributes.ts';
import type { Step } from './frame.ts';

export type Plan =
  | { readonly kind: 'constant'; readonly value: Value }
  /** `test` is true for `has(...)`. */
  | { readonly kind: 'attribute'; readonly attribute: Attribute; readonly test: boolean }
  | { readonly kind: 'step'; readonly step: Step };

export function constantPlan(value: Value): Plan {
  return { kind: 'constant', value };
}

export function stepPlan(step: Step): Plan {
  return { kind: 'step', step };
}

export function toStep(plan: Plan): Step {
  switch (plan.kind) {
    case 'constant': {
      const { value } = plan;
      return () => value;
    }
    case 'attribute':
      return attributeStep(plan.attribute, plan.test);
    case 'step':
      return plan.step;
  }
}

/**
 * The attribute to which a selection is added. A plan that is not an attribute becomes the root of a new one, which
 * costs 1 more.
 */
export function toAttribute(plan: Plan, mayBeOptional: boolean): Attribute {
  if (plan.kind === 'attribute') return plan.attribute;
  return { kind: 'path', root: toStep(plan), qualifiers: [], mayBeOptional };
}
