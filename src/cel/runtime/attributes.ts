/**
 * Attributes: names with selections, such as `a.b[c].d`. cel-go counts a cost of 1 for the attribute and 1 for each
 * selection. In a branch of `?:` and in an index it counts the selections only. Therefore an attribute stays data until
 * its context is known.
 */
import { CelError, CelMap, CelObject, CelOptional, type Value } from '../values.ts';
import type { Frame, Result, Step } from './frame.ts';
import { NO_SUCH_OVERLOAD } from './frame.ts';
import { find, invalidKey, qualify } from './qualify.ts';

export type Attribute = PathAttribute | ConditionalAttribute;

/** A root and selections from it. */
export interface PathAttribute {
  readonly kind: 'path';
  /** The value of the root: a variable or any expression. */
  readonly root: Step;
  /** The index of the variable, if the root is one. */
  readonly variable?: number;
  /** The slot of the loop variable, if the root is one. */
  readonly local?: number;
  readonly qualifiers: readonly Qualifier[];
  /** True if the root may be an optional. Selections from an optional read its value and result in an optional. */
  readonly mayBeOptional: boolean;
}

/** `c ? a : b` with selections, which are added to both branches. */
export interface ConditionalAttribute {
  readonly kind: 'conditional';
  readonly condition: Step;
  readonly truthy: Attribute;
  readonly falsy: Attribute;
}

export interface Qualifier {
  /** The constant key, or the step that computes it. */
  readonly key: Value | Step;
  readonly optional: boolean;
  /** True for the last selection of `has(...)`. */
  readonly test: boolean;
}

export function withQualifier(attribute: Attribute, qualifier: Qualifier): Attribute {
  if (attribute.kind === 'path') return { ...attribute, qualifiers: [...attribute.qualifiers, qualifier] };
  return {
    ...attribute,
    truthy: withQualifier(attribute.truthy, qualifier),
    falsy: withQualifier(attribute.falsy, qualifier),
  };
}

/** The step of an attribute that is an expression of its own. `has(...)` does not count the cost of the attribute. */
export function attributeStep(attribute: Attribute, test: boolean): Step {
  const direct = test || attribute.kind === 'conditional' ? undefined : directStep(attribute);
  if (direct !== undefined) return direct;
  const resolve = resolveStep(attribute);
  const charge = (attribute.kind === 'path' ? 1 : 0) - (test ? 1 : 0);
  if (charge === 0) return resolve;
  return (frame) => {
    frame.cost += charge;
    return resolve(frame);
  };
}

/**
 * The fast closures of `variable.field`, `variable.field.field` and `local.field`, the most common attributes;
 * undefined for others.
 */
function directStep(attribute: PathAttribute): Step | undefined {
  const { variable, root, qualifiers, mayBeOptional } = attribute;
  const [first, second] = qualifiers.map(({ key, optional }) =>
    typeof key === 'string' && !optional ? key : undefined,
  );
  if (mayBeOptional || first === undefined || qualifiers.length > 2) return undefined;
  if (qualifiers.length === 2 && second === undefined) return undefined;
  const slow = qualifiers.reduce(plainStep, root);
  const path: Step = (frame) => {
    frame.cost++;
    return slow(frame);
  };
  if (attribute.local !== undefined && second === undefined) return localFieldStep(attribute.local, first, path);
  if (variable === undefined) return undefined;
  if (second === undefined) {
    return (frame) => {
      const object = frame.variables[variable];
      if (object instanceof CelObject) {
        const value = object.get(first);
        if (value !== undefined) {
          frame.cost += 2;
          return value;
        }
      }
      return path(frame);
    };
  }
  return (frame) => {
    const object = frame.variables[variable];
    if (object instanceof CelObject) {
      const inner = object.get(first);
      if (inner instanceof CelObject) {
        const value = inner.get(second);
        if (value !== undefined) {
          frame.cost += 3;
          return value;
        }
      }
    }
    return path(frame);
  };
}

function localFieldStep(slot: number, field: string, path: Step): Step {
  return (frame) => {
    const object = frame.locals[slot];
    if (object instanceof CelObject) {
      const value = object.get(field);
      if (value !== undefined) {
        frame.cost += 2;
        return value;
      }
    }
    return path(frame);
  };
}

/** The step of an attribute without the cost of the attribute itself. */
export function resolveStep(attribute: Attribute): Step {
  if (attribute.kind === 'conditional') return conditionalStep(attribute);
  const { root, qualifiers, mayBeOptional } = attribute;
  if (qualifiers.length === 0) return root;
  if (mayBeOptional || qualifiers.some((qualifier) => qualifier.optional)) return optionalStep(root, qualifiers);
  return qualifiers.reduce(plainStep, root);
}

function conditionalStep(attribute: ConditionalAttribute): Step {
  const { condition } = attribute;
  const truthy = resolveStep(attribute.truthy);
  const falsy = resolveStep(attribute.falsy);
  return (frame) => {
    const chosen = condition(frame);
    if (chosen === true) return truthy(frame);
    if (chosen === false) return falsy(frame);
    return chosen instanceof CelError ? chosen : NO_SUCH_OVERLOAD;
  };
}

/** Adds a selection to a step, without optionals. */
function plainStep(before: Step, qualifier: Qualifier): Step {
  const { key, test } = qualifier;
  if (typeof key === 'string') return test ? testStep(before, key) : fieldStep(before, key);
  if (typeof key !== 'function') {
    return (frame) => {
      const holder = before(frame);
      if (holder instanceof CelError) return holder;
      frame.cost++;
      return qualify(holder, key);
    };
  }
  return (frame) => {
    const holder = before(frame);
    if (holder instanceof CelError) return holder;
    const index = key(frame);
    frame.cost++;
    if (index instanceof CelError) return index;
    return invalidKey(index) ?? qualify(holder, index);
  };
}

function fieldStep(before: Step, field: string): Step {
  return (frame) => {
    const holder = before(frame);
    if (holder instanceof CelObject || holder instanceof CelMap) {
      frame.cost++;
      const value = holder.get(field);
      return value === undefined ? new CelError(`no such key: ${field}`) : value;
    }
    if (holder instanceof CelError) return holder;
    frame.cost++;
    return qualify(holder, field);
  };
}

function testStep(before: Step, field: string): Step {
  return (frame) => {
    const holder = before(frame);
    if (holder instanceof CelError) return holder;
    frame.cost++;
    const found = find(holder, field);
    return found instanceof CelError ? found : found !== undefined;
  };
}

/** The general form with optionals: after the first optional, a missing value makes the result `optional.none()`. */
function optionalStep(root: Step, qualifiers: readonly Qualifier[]): Step {
  const test = qualifiers.at(-1)?.test === true;
  const walk = (frame: Frame): Result => {
    let value = root(frame);
    let optional = false;
    if (value instanceof CelOptional) {
      if (value.value === undefined) return value;
      value = value.value;
      optional = true;
    }
    for (const qualifier of qualifiers) {
      if (value instanceof CelError) return value;
      optional = optional || qualifier.optional;
      const key: Result = typeof qualifier.key === 'function' ? qualifier.key(frame) : qualifier.key;
      if (!optional) frame.cost++;
      if (key instanceof CelError) return key;
      const invalid = invalidKey(key);
      if (invalid !== undefined) return invalid;
      if (!optional) {
        value = qualifier.test ? find(value, key) !== undefined : qualify(value, key);
        continue;
      }
      const found = find(value, key);
      if (found === undefined) return NONE;
      if (found instanceof CelError) return found;
      frame.cost++;
      value = found;
    }
    if (value instanceof CelError) return value;
    return optional ? new CelOptional(value) : value;
  };
  if (!test) return walk;
  return (frame) => {
    const walked = walk(frame);
    return walked instanceof CelOptional ? walked.value !== undefined : walked;
  };
}

export const NONE: CelOptional = new CelOptional(undefined);
