/**
 * Applies field rules to an object, in place. Invariant: a rule touches the places it names and nothing else; a path that meets another kind of value than it expects does nothing.
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

/** What the expression of a `set` rule makes of the object as it was; undefined removes the field. */
export type Expressions = (rule: FieldRule & { readonly kind: 'set' }, before: JsonObject) => JsonValue | undefined;

/** `before` is the object as it was: what expressions read. */
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

/** The objects that a path ending in `[*]` leads to; the object itself for an empty path. */
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

/** The object that holds the last field of a path, and the field's name. `make`: objects on the way are made where they are missing. */
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
