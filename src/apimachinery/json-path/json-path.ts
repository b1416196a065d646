/**
 * JSONPath as client-go reads it between braces: the language of printer columns. A path is parsed once and evaluated
 * on many values. Evaluation never modifies a value.
 */

import { isJsonObject, type JsonValue } from '../../base/json-value.ts';
import { compareScalars } from './json-path-compare.ts';

/**
 * The budget of one or more evaluations. `..a..a..a` visits a deep object once for every choice of three places in it;
 * an evaluation that exceeds the budget finds nothing.
 */
export interface WalkBudget {
  /** The number of values that may still be visited. */
  left: number;
}

/** A budget for all columns of one object. */
export function walkBudget(): WalkBudget {
  return { left: 20_000 };
}

/** A parsed path. */
export interface JsonPath {
  /**
   * Returns the values at the path, in order. A missing key yields no value. Returns undefined if the path cannot be
   * evaluated on this value (an index out of bounds) or exceeds the budget.
   */
  find(value: JsonValue, budget?: WalkBudget): readonly JsonValue[] | undefined;
}

function visit(budget: WalkBudget, count: number): void {
  budget.left -= count;
  if (budget.left < 0) throw new Unwalkable();
}

/** Ends an evaluation. Thrown by steps and caught in `find`. */
class Unwalkable extends Error {}

type Step = (values: readonly JsonValue[], budget: WalkBudget) => readonly JsonValue[];

/** Returns undefined for a text that is not a path. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const step = parseSteps(text);
  if (step === undefined) return undefined;
  return {
    find: (value, budget = walkBudget()) => {
      try {
        return step([value], budget);
      } catch (caught) {
        if (caught instanceof Unwalkable) return undefined;
        throw caught;
      }
    },
  };
}

function parseSteps(text: string): Step | undefined {
  const steps: Step[] = [];
  let at = 0;
  let wasRecursive = false;
  const add = (step: Step | undefined): boolean => {
    if (step === undefined) return false;
    steps.push(step);
    wasRecursive = false;
    return true;
  };
  while (at < text.length) {
    const char = text[at] as string;
    if (text.startsWith('[?(', at)) {
      const end = filterEnd(text, at + 3);
      if (end < 0 || !add(filterStep(text.slice(at + 3, end)))) return undefined;
      at = end + 2;
    } else if (text.startsWith('..', at)) {
      if (wasRecursive) return undefined;
      steps.push(recursive);
      wasRecursive = true;
      at += 2;
      if (/^[\p{L}\p{Nd}_]/u.test(text.slice(at))) at = addField(text, at, add);
    } else if (char === ' ' || char === '@' || char === '$') at++;
    else if (char === '[') {
      const end = text.indexOf(']', at);
      if (end < 0 || !add(arrayStep(text.slice(at + 1, end)))) return undefined;
      at = end + 1;
    } else if (char === '.') at = addField(text, at + 1, add);
    else {
      const literal = readLiteral(text, at);
      if (literal === undefined) return undefined;
      const { value, end, isText } = literal;
      // A string yields itself once; a number or a boolean once per input value, as in client-go.
      add(isText ? () => [value] : (values) => values.map(() => value));
      at = end;
    }
  }
  return (values, budget) =>
    steps.reduce((present, step) => {
      visit(budget, present.length);
      return step(present, budget);
    }, values);
}

/** Adds the field or wildcard that begins at `from`. Returns the index behind it. */
function addField(text: string, from: number, add: (step: Step) => boolean): number {
  let end = from;
  while (end < text.length && !/[ \t\r\n.,[\]$@{}]/.test(text[end] as string)) end += text[end] === '\\' ? 2 : 1;
  const name = text.slice(from, end);
  add(name === '*' ? members : field(name.replaceAll('\\', '')));
  return Math.min(end, text.length);
}

function field(name: string): Step {
  return (values) => {
    const found: JsonValue[] = [];
    for (const value of values)
      if (isJsonObject(value) && Object.hasOwn(value, name)) found.push(value[name] as JsonValue);
    return found;
  };
}

function membersOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

const members: Step = (values, budget) =>
  values.flatMap((value) => {
    const inside = membersOf(value);
    visit(budget, inside.length);
    return inside;
  });

/** Yields every value that has members, parents before their members. */
const recursive: Step = (values, budget) => {
  const found: JsonValue[] = [];
  const pending = [...values].reverse();
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    const inside = membersOf(value);
    visit(budget, 1);
    if (inside.length === 0) continue;
    found.push(value);
    for (let i = inside.length - 1; i >= 0; i--) pending.push(inside[i] as JsonValue);
  }
  return found;
};

const SLICE = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;

/** Parses the text between brackets: an index, a slice, a quoted key, or several of them. */
function arrayStep(text: string): Step | undefined {
  const parts = text.split(',');
  if (parts.length > 1) {
    const steps = parts.map((part) => arrayStep(part.trim()));
    if (steps.includes(undefined)) return undefined;
    return (values, budget) => (steps as Step[]).flatMap((step) => step(values, budget));
  }
  const key = /^'([^']*)'$/.exec(text);
  if (key !== null) return parseSteps(`.${key[1] as string}`);
  const slice = SLICE.exec(text === '*' ? ':' : text);
  return slice === null ? undefined : sliceStep(slice);
}

function sliceStep([, first = '', second, third]: RegExpExecArray): Step {
  const from = first === '' ? undefined : Number(first);
  const to = second === undefined || second === ':' ? undefined : Number(second.slice(1));
  const by = third === undefined || third === ':' ? 1 : Number(third.slice(1));
  const isIndex = second === undefined;
  return (values) =>
    values.flatMap((value) => {
      if (value === null) return [];
      if (!Array.isArray(value)) throw new Unwalkable();
      const { length } = value;
      let start = from ?? 0;
      let end = isIndex ? start + 1 : (to ?? length);
      if (start < 0) start += length;
      if (end < 0 || (isIndex && end === 0)) end += length;
      if (start === end) return [];
      if (start < 0 || start >= length || end < 0 || end > length || start > end || by <= 0) throw new Unwalkable();
      return value.slice(start, end).filter((_, i) => i % by === 0);
    });
}

/** Returns the index of the `)` that ends a filter, -1 if there is none. Parentheses inside quotes do not count. */
function filterEnd(text: string, from: number): number {
  let quoted = '';
  let closed = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '\n') return -1;
    if (char === '"' || char === "'") {
      if (quoted === '') quoted = char;
      else if (text[at - 1] !== '\\' && char === quoted) closed = true;
    } else if (char === ')' && (quoted !== '') === closed) return text[at + 1] === ']' ? at : -1;
  }
  return -1;
}

const COMPARISON = /^([^!<>=]+)([!<>=]+)(.+?)$/s;

function filterStep(text: string): Step | undefined {
  const [, leftText, operator, rightText] = COMPARISON.exec(text) ?? [];
  const left = parseSteps(leftText ?? text);
  const right = rightText === undefined ? undefined : parseSteps(rightText);
  if (left === undefined || (rightText !== undefined && right === undefined)) return undefined;
  const passes = (item: JsonValue, budget: WalkBudget): boolean => {
    if (right === undefined || operator === undefined) return walks(left, item, budget).length > 0;
    const [a, b] = [left([item], budget), right([item], budget)];
    if (a.length === 0 || b.length === 0) return false;
    if (a.length > 1 || b.length > 1) throw new Unwalkable();
    const outcome = compareScalars(a[0] as JsonValue, operator, b[0] as JsonValue);
    if (outcome === undefined) throw new Unwalkable();
    return outcome;
  };
  return (values, budget) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) throw new Unwalkable();
      return value.filter((item) => passes(item, budget));
    });
}

/** Evaluates a filter that tests for existence: a step that cannot be evaluated counts as absent. */
function walks(step: Step, item: JsonValue, budget: WalkBudget): readonly JsonValue[] {
  try {
    return step([item], budget);
  } catch (caught) {
    if (caught instanceof Unwalkable) return [];
    throw caught;
  }
}

interface Literal {
  readonly value: JsonValue;
  readonly end: number;
  readonly isText: boolean;
}

function readLiteral(text: string, at: number): Literal | undefined {
  const rest = text.slice(at);
  const quoted = /^"(?:[^"\\\n]|\\.)*"|^'(?:[^'\\\n]|\\.)*'/.exec(rest)?.[0];
  if (quoted !== undefined) {
    const value = quoted.slice(1, -1).replace(/\\(.)/g, unescaped);
    return { value, end: at + quoted.length, isText: true };
  }
  const number = /^[+-]?[\d.]+/.exec(rest)?.[0];
  if (number !== undefined && Number.isFinite(Number(number)))
    return { value: Number(number), end: at + number.length, isText: false };
  const word = /^(?:true|false)(?=$|[ \t\r\n.,[\]$@{}])/.exec(rest)?.[0];
  return word === undefined ? undefined : { value: word === 'true', end: at + word.length, isText: false };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v' };

function unescaped(_: string, char: string): string {
  return ESCAPES[char] ?? char;
}
