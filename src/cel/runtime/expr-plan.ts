/**
 * An expression on its way to a closure. Invariant: constants stay constants and paths stay paths as long as what is around them may make something cheaper of them, in the
 * places where cel-go does, because that shows in the cost.
 */
import type { Value } from '../values.ts';
import { type Attribute, attributeStep } from './attributes.ts';
import type { Step } from './frame.ts';

export type Plan =
  | { readonly kind: 'constant'; readonly value: Value }
  /** `test`: it is `has(...)`. */
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

/** The path that begins at what the plan gives; a path goes on, everything else begins one (which costs 1 more). */
export function toAttribute(plan: Plan, mayBeOptional: boolean): Attribute {
  if (plan.kind === 'attribute') return plan.attribute;
  return { kind: 'path', root: toStep(plan), qualifiers: [], mayBeOptional };
}
