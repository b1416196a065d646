/**
 * The application of field rules to an object, in place. Invariant: a rule modifies only the fields that it names. A
 * path that meets a value of another type than it expects does nothing.
 */
import {
  cloneJson,
  getField,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setField,
} from '../../../base/json-value.ts';
import { EVERY, type FieldRule, type RulePath } from './field-rules.ts';

/** Evaluates the expression of a `set` rule on the object before conversion. Undefined removes the field. */
export type Expressions = (rule: FieldRule & { readonly kind: 'set' }, before: JsonObject) => JsonValue | undefined;

/** Applies the rules in order. `before` is a copy of the object before the first rule; expressions read it. */
export function applyFieldRules(
  object: JsonObject,
  before: JsonObject,
  rules: readonly FieldRule[],
  evaluate: Expressions,
): void {
  for (const rule of rules) {
    switch (rule.kind) {
      case 'move':
        move(object, rule.from, rule.to);
        break;
      case 'default':
        forEachHolder(object, rule.path, true, (holder, name) => {
          if (getField(holder, name) === undefined) setField(holder, name, cloneJson(rule.value));
        });
        break;
      case 'set': {
        const value = evaluate(rule, before);
        forEachHolder(object, rule.path, value !== undefined, (holder, name) => {
          if (value === undefined) delete holder[name];
          else setField(holder, name, value);
        });
        break;
      }
      case 'remove':
        forEachHolder(object, rule.path, false, (holder, name) => delete holder[name]);
    }
  }
}

function move(object: JsonObject, from: RulePath, to: RulePath): void {
  const split = from.lastIndexOf(EVERY) + 1;
  forEachItem(object, from.slice(0, split), (item) => {
    let taken: JsonValue | undefined;
    forEachHolder(item, from.slice(split), false, (holder, name) => {
      taken = getField(holder, name);
      delete holder[name];
    });
    const value = taken;
    if (value !== undefined)
      forEachHolder(item, to.slice(split), true, (holder, name) => setField(holder, name, value));
  });
}

/** Visits the objects that a path ending in `[*]` selects. An empty path selects the object itself. */
function forEachItem(object: JsonObject, path: RulePath, visit: (item: JsonObject) => void): void {
  if (path.length === 0) {
    visit(object);
    return;
  }
  const first = path.indexOf(EVERY);
  let value: JsonValue | undefined = object;
  for (const step of path.slice(0, first)) value = isJsonObject(value) ? getField(value, step as string) : undefined;
  if (!Array.isArray(value)) return;
  for (const item of value) if (isJsonObject(item)) forEachItem(item, path.slice(first + 1), visit);
}

/**
 * Visits each object that has, or would have, the last field of a path, with the name of the field. `make` adds objects
 * that are missing on the way.
 */
function forEachHolder(
  object: JsonObject,
  path: RulePath,
  make: boolean,
  visit: (holder: JsonObject, name: string) => void,
): void {
  const split = path.lastIndexOf(EVERY) + 1;
  forEachItem(object, path.slice(0, split), (item) => {
    const rest = path.slice(split) as readonly string[];
    let holder: JsonObject = item;
    for (const step of rest.slice(0, -1)) {
      let next = getField(holder, step);
      if (next === undefined && make) {
        next = {};
        setField(holder, step, next);
      }
      if (!isJsonObject(next)) return;
      holder = next;
    }
    visit(holder, rest.at(-1) as string);
  });
}
