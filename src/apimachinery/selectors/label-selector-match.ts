/**
 * Label selectors compiled to closures, for lists and watches that test many objects. Invariant: a compiled selector
 * gives the result of `matchesLabels`. Testing allocates nothing.
 */
import { type LabelRequirement, type LabelSelector, parseInt64 } from './label-selector.ts';

/** The labels of an object; undefined means none. */
export type LabelRecord = Readonly<Record<string, string>>;

type ValueTest = (value: string | undefined) => boolean;

/** From this many values on a set is faster than a scan. */
const SET_FROM = 9;

/** Compiles a test of an object's labels. Inherited keys (`constructor`) are not labels. */
export function compileLabelSelectorForRecord(selector: LabelSelector): (labels: LabelRecord | undefined) => boolean {
  if (selector.matchesNothing) return () => false;
  const test = allOf(selector.requirements.map(compileForRecord));
  return (labels) => test(labels ?? NO_LABELS);
}

const NO_LABELS: LabelRecord = {};

function compileForRecord(requirement: LabelRequirement): (labels: LabelRecord) => boolean {
  const { key, operator, values } = requirement;
  const [only] = values;
  // No inherited property is a string, so comparing with a string needs no ownership check.
  if (values.length === 1 && (operator === '=' || operator === '==' || operator === 'in'))
    return (labels) => labels[key] === only;
  if (values.length === 1 && (operator === '!=' || operator === 'notin')) return (labels) => labels[key] !== only;
  if (operator === 'exists') return (labels) => typeof labels[key] === 'string';
  if (operator === '!') return (labels) => typeof labels[key] !== 'string';
  const test = compileRequirement(requirement);
  return (labels) => {
    const value = labels[key];
    return test(typeof value === 'string' ? value : undefined);
  };
}

function compileRequirement(requirement: LabelRequirement): ValueTest {
  const { operator, values } = requirement;
  switch (operator) {
    case 'in':
    case '=':
    case '==':
      return isOneOf(values);
    case 'notin':
    case '!=': {
      const test = isOneOf(values);
      return (value) => !test(value);
    }
    case 'exists':
      return (value) => value !== undefined;
    case '!':
      return (value) => value === undefined;
    default:
      return compileComparison(operator, values);
  }
}

function isOneOf(values: readonly string[]): ValueTest {
  const [only] = values;
  if (values.length === 1) return (value) => value === only;
  if (values.length < SET_FROM) return (value) => value !== undefined && values.includes(value);
  const set = new Set(values);
  return (value) => value !== undefined && set.has(value);
}

function compileComparison(operator: 'gt' | 'lt', values: readonly string[]): ValueTest {
  const limit = values.length === 1 ? parseInt64(values[0] as string) : undefined;
  if (limit === undefined) return () => false;
  return (value) => {
    const number = value === undefined ? undefined : parseInt64(value);
    if (number === undefined) return false;
    return operator === 'gt' ? number > limit : number < limit;
  };
}

function allOf<T>(tests: readonly ((subject: T) => boolean)[]): (subject: T) => boolean {
  const [first, second, third] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (third === undefined) return (subject) => first(subject) && second(subject);
  return (subject) => {
    for (const test of tests) if (!test(subject)) return false;
    return true;
  };
}
