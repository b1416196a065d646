/**
 * The compiled form of the rules of one pair of versions, which converts objects in place. Invariant: a rule modifies
 * only the fields that it names. A path that meets a value of another type than it expects does nothing.
 *
 * Values are taken from the deepest source first, so that an inner value leaves its parent before the parent moves, and
 * put into the shallowest target first. An item of a list stays the same JavaScript object when its list moves, so
 * moves between fields of an item need no path to the list.
 */
import {
  cloneJson,
  getField,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setField,
} from '../../../base/json-value.ts';
import {
  type DefaultRule,
  type FieldRule,
  type MoveRule,
  type RemoveRule,
  type SetRule,
  sourceOf,
} from './field-rules.ts';
import { EVERY, itemPart, type RulePath } from './rule-path.ts';

/** Evaluates the expression of a rule on the object before conversion. Returns undefined to leave the field absent. */
export type Evaluate = (rule: SetRule, object: JsonObject) => JsonValue | undefined;

/** Modifies an object in place. Throws what the evaluation of an expression throws; the object is then unchanged. */
export type ConversionPlan = (object: JsonObject) => void;

export function compilePlan(rules: readonly FieldRule[], evaluate: Evaluate): ConversionPlan {
  const taken = rules
    .filter((rule): rule is MoveRule | RemoveRule => sourceOf(rule) !== undefined)
    .sort((left, right) => (sourceOf(right) as RulePath).length - (sourceOf(left) as RulePath).length)
    .map((rule) => new Transfer(rule));
  const put = taken.filter(({ depth }) => depth > 0).sort((left, right) => left.depth - right.depth);
  const sets = rules.filter((rule): rule is SetRule => rule.kind === 'set');
  const targets = sets.map(({ path }) => new Place(path));
  const defaults = rules
    .filter((rule): rule is DefaultRule => rule.kind === 'default')
    .map(({ path, value }) => ({ place: new Place(path), value }));
  return (object) => {
    const values = sets.length === 0 ? NO_VALUES : sets.map((rule) => evaluate(rule, object));
    for (const transfer of taken) transfer.take(object);
    for (const transfer of put) transfer.put();
    for (let i = 0; i < targets.length; i++) (targets[i] as Place).set(object, values[i]);
    for (const { place, value } of defaults) place.fill(object, value);
  };
}

const NO_VALUES: readonly undefined[] = [];

/** A field of an object, or of each item of a list. */
class Place {
  /** The path of each list in the item before it; empty for a field outside of lists. */
  readonly lists: readonly (readonly string[])[];
  /** The objects between the item, or the whole object, and the field. */
  readonly parents: readonly string[];
  readonly name: string;

  constructor(path: RulePath) {
    const lists: string[][] = [[]];
    for (const step of path)
      if (step === EVERY) lists.push([]);
      else (lists.at(-1) as string[]).push(step);
    const steps = lists.pop() as string[];
    this.name = steps.pop() as string;
    this.parents = steps;
    this.lists = lists;
  }

  /** Sets the field, or removes it if there is no value. */
  set(object: JsonObject, value: JsonValue | undefined): void {
    const holder = this.holderIn(object, value !== undefined);
    if (holder === undefined) return;
    if (value !== undefined) setField(holder, this.name, value);
    else if (holder[this.name] !== undefined) delete holder[this.name];
  }

  /** Sets a copy of the value where there is none. A null counts as none. */
  fill(object: JsonObject, value: JsonValue): void {
    this.forEachItem(object, (item) => {
      const holder = this.holderIn(item, true);
      if (holder !== undefined && (getField(holder, this.name) ?? null) === null)
        setField(holder, this.name, cloneJson(value));
    });
  }

  /** Returns the object that has, or would have, the field. `make`: adds objects that are missing on the way. */
  holderIn(item: JsonObject, make: boolean): JsonObject | undefined {
    let holder = item;
    for (const step of this.parents) {
      let next = getField(holder, step);
      if (next === undefined && make) {
        next = {};
        setField(holder, step, next);
      }
      if (!isJsonObject(next)) return undefined;
      holder = next;
    }
    return holder;
  }

  /** Visits the items that the field is in: the object itself outside of lists. */
  forEachItem(object: JsonObject, visit: (item: JsonObject) => void): void {
    if (this.lists.length === 0) visit(object);
    else this.#visitItems(object, 0, visit);
  }

  #visitItems(object: JsonObject, depth: number, visit: (item: JsonObject) => void): void {
    let list: JsonValue | undefined = object;
    for (const step of this.lists[depth] as readonly string[])
      list = isJsonObject(list) ? getField(list, step) : undefined;
    if (!Array.isArray(list)) return;
    const isLast = depth === this.lists.length - 1;
    for (const item of list) {
      if (!isJsonObject(item)) continue;
      if (isLast) visit(item);
      else this.#visitItems(item, depth + 1, visit);
    }
  }
}

/** A move or a removal. The values that it took are kept between `take` and `put`, which run one after the other. */
class Transfer {
  /** The length of the target; 0 for a removal. */
  readonly depth: number;
  readonly #from: Place;
  readonly #to: Place | undefined;
  readonly #items: JsonObject[] = [];
  readonly #values: JsonValue[] = [];
  readonly #takeFrom: (item: JsonObject) => void;

  constructor(rule: MoveRule | RemoveRule) {
    this.#from = new Place(sourceOf(rule) as RulePath);
    // Within an item the path to its list does not matter.
    this.#to = rule.kind === 'move' ? new Place(rule.to.slice(itemPart(rule.to).length)) : undefined;
    this.depth = rule.kind === 'move' ? rule.to.length : 0;
    this.#takeFrom = (item) => this.#take(item);
  }

  take(object: JsonObject): void {
    this.#from.forEachItem(object, this.#takeFrom);
  }

  #take(item: JsonObject): void {
    const { name } = this.#from;
    const holder = this.#from.holderIn(item, false);
    const value = holder === undefined ? undefined : getField(holder, name);
    if (holder === undefined || value === undefined) return;
    delete holder[name];
    if (this.#to === undefined) return;
    this.#items.push(item);
    this.#values.push(value);
  }

  put(): void {
    for (let i = 0; i < this.#items.length; i++) this.#to?.set(this.#items[i] as JsonObject, this.#values[i]);
    this.#items.length = 0;
    this.#values.length = 0;
  }
}
