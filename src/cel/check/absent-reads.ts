/**
 * The search for reads of values that may be absent: fields of objects that are not always set, keys of maps, items of
 * lists, and values of optionals. Such a read fails at run time unless a test guards it.
 *
 * Tests guard from left to right: `has(a.b) && a.b > 0`, `!has(a.b) || a.b > 0`, `has(a.b) ? a.b : 0`, `'k' in m &&
 * m.k`, `size(l) > 0 && l[0]`, `o.hasValue() ? o.value() : 0`, `l.filter(x, has(x.a)).map(x, x.a)`. Invariant: an
 * expression without an issue never fails because a value is absent. The opposite does not hold: guards of other forms
 * are not understood. Null items of lists, and errors of functions such as division by zero, are not looked for.
 */
import type { CallExpr, CelIssue, ComprehensionExpr, Expr, SelectExpr } from '../ast.ts';
import type { CheckedExpression } from '../environment.ts';
import { recognizeFold } from '../runtime/macro-folds.ts';
import { type CelType, DYN, isOptional, type ObjectType } from '../types.ts';
import {
  both,
  either,
  type Facts,
  NO_FACTS,
  negated,
  type Outcome,
  sizeComparison,
  sizeFacts,
  sizeKey,
  UNKNOWN,
} from './presence-facts.ts';
import { isDyn } from './type-relations.ts';

/** Reports whether every value of an object type has the field. */
export type IsAlwaysSet = (type: ObjectType, field: string) => boolean;

/** Returns the reads that may fail, sorted by position. Each expression is reported once. */
export function findAbsentReads(checked: CheckedExpression, isAlwaysSet: IsAlwaysSet): readonly CelIssue[] {
  const search = new Search(checked, isAlwaysSet);
  search.visit(checked.expr, NO_FACTS);
  return search.issues.sort((left, right) => left.at - right.at);
}

class Search {
  readonly issues: CelIssue[] = [];
  readonly #checked: CheckedExpression;
  readonly #isAlwaysSet: IsAlwaysSet;
  readonly #reported = new Set<string>();
  /** The keys of local variables. */
  #locals: ReadonlyMap<string, string> = new Map();
  #localCount = 0;

  constructor(checked: CheckedExpression, isAlwaysSet: IsAlwaysSet) {
    this.#checked = checked;
    this.#isAlwaysSet = isAlwaysSet;
  }

  /** Visits an expression that is evaluated only if the facts hold. `never`: it is not evaluated. */
  visit(expr: Expr, facts: Facts | 'never'): Outcome {
    if (facts === 'never') return UNKNOWN;
    switch (expr.kind) {
      case 'literal':
        if (expr.literal.type !== 'bool') return UNKNOWN;
        return expr.literal.value ? { yes: NO_FACTS, no: 'never' } : { yes: 'never', no: NO_FACTS };
      case 'ident':
        return UNKNOWN;
      case 'select':
        return this.#select(expr, facts);
      case 'call':
        return this.#call(expr, facts);
      case 'list':
        for (const element of expr.elements) this.visit(element, facts);
        return UNKNOWN;
      case 'map':
        for (const { key, value } of expr.entries) {
          this.visit(key, facts);
          this.visit(value, facts);
        }
        return UNKNOWN;
      case 'struct':
        for (const { value } of expr.fields) this.visit(value, facts);
        return UNKNOWN;
      case 'comprehension':
        this.#comprehension(expr, facts);
        return UNKNOWN;
    }
  }

  #select(expr: SelectExpr, facts: Facts): Outcome {
    // A qualified name, such as that of a type, has no operand to evaluate.
    if (this.#checked.references.has(expr)) return UNKNOWN;
    const { operand, field, test } = expr;
    this.visit(operand, facts);
    if (test) return { yes: this.#presence(this.#step(operand, quoted(field))), no: NO_FACTS };
    const type = this.#typeOf(operand);
    // A selection from an optional is an optional itself.
    if (isOptional(type) || (type.kind === 'object' && this.#isAlwaysSet(type, field))) return UNKNOWN;
    if (this.#isPresent(expr, facts)) return UNKNOWN;
    const [object, whole] = [textOf(operand), textOf(expr)];
    const advice =
      object === undefined || whole === undefined
        ? 'select it with .? or test it with has()'
        : `write ${object}.?${field}, or test has(${whole}) before`;
    this.#issue(expr, `${whole ?? `the field ${field}`} may be absent: ${advice}`);
    return UNKNOWN;
  }

  #call(call: CallExpr, facts: Facts): Outcome {
    const [first, second, third] = call.args;
    switch (call.name) {
      case '_&&_':
        return this.#logic(call.args, facts, false);
      case '_||_':
        return negated(this.#logic(call.args, facts, true));
      case '!_':
        return negated(this.visit(first as Expr, facts));
      case '_?_:_': {
        const condition = this.visit(first as Expr, facts);
        const yes = this.visit(second as Expr, both(facts, condition.yes));
        const no = this.visit(third as Expr, both(facts, condition.no));
        return {
          yes: either(both(condition.yes, yes.yes), both(condition.no, no.yes)),
          no: either(both(condition.yes, yes.no), both(condition.no, no.no)),
        };
      }
    }
    if (call.target !== undefined) this.visit(call.target, facts);
    for (const arg of call.args) this.visit(arg, facts);
    switch (call.name) {
      case '_[_]':
        this.#index(call, facts);
        return UNKNOWN;
      case '@in':
        return { yes: this.#presence(this.#step(second as Expr, this.key(first as Expr))), no: NO_FACTS };
      case 'hasValue':
        return call.target === undefined ? UNKNOWN : { yes: this.#chainPresence(call.target), no: NO_FACTS };
      case 'value':
        this.#value(call, facts);
        return UNKNOWN;
      default:
        return this.#comparison(call);
    }
  }

  /** Visits the arguments of `&&`, or of `||` if `negate` is true: then the outcome is that of its negation. */
  #logic(args: readonly Expr[], facts: Facts, negate: boolean): Outcome {
    let reached: Facts | 'never' = facts;
    let yes: Facts | 'never' = NO_FACTS;
    let no: Facts | 'never' = 'never';
    for (const arg of args) {
      const seen = this.visit(arg, reached);
      const outcome = negate ? negated(seen) : seen;
      no = either(no, both(yes, outcome.no));
      yes = both(yes, outcome.yes);
      reached = both(reached, outcome.yes);
    }
    return { yes, no };
  }

  #index(call: CallExpr, facts: Facts): void {
    const [operand, index] = call.args as readonly [Expr, Expr];
    const type = this.#typeOf(operand);
    if (isOptional(type) || this.#isPresent(call, facts)) return;
    if (type.kind === 'list' && index.kind === 'literal' && index.literal.type === 'int') {
      const list = this.key(operand);
      const size = list === undefined ? 0 : (facts.get(sizeKey(list)) ?? 0);
      if (index.literal.value >= 0n && index.literal.value < BigInt(size)) return;
    }
    const object = textOf(operand) ?? 'the operand';
    const what =
      type.kind === 'list' ? `the item may be absent from ${object}` : `the key may be absent from ${object}`;
    this.#issue(call, `${what}: write [?...], or test ${type.kind === 'list' ? 'the size' : 'the key with in'} before`);
  }

  #value(call: CallExpr, facts: Facts): void {
    const { target } = call;
    if (target === undefined || !isOptional(this.#typeOf(target)) || this.#isPresent(target, facts)) return;
    if (target.kind === 'call' && target.name === 'optional.of') return;
    this.#issue(call, 'the optional may be empty: write orValue(...), or test hasValue() before');
  }

  /** Visits a comprehension. A variable over the keys of a map is a present key. */
  #comprehension(fold: ComprehensionExpr, facts: Facts): void {
    const { range, init, condition, step, result, variable, variable2, accumulator } = fold;
    this.visit(range, facts);
    this.visit(init, facts);
    const outer = this.#locals;
    // `optMap` is a comprehension over no items, whose accumulator is a name for the value of the optional.
    const isBinding = range.kind === 'list' && range.elements.length === 0;
    const accumulated = (isBinding ? this.key(init) : undefined) ?? this.#newLocal();
    const names = new Map(outer).set(accumulator, accumulated);
    const [first, second] = [this.#newLocal(), this.#newLocal()];
    const known = both(facts, both(this.#itemFacts(fold, first), this.#filterFacts(range, first)));
    const inner = new Map(names).set(variable, first);
    if (variable2 !== '') inner.set(variable2, second);
    this.#locals = inner;
    const goesOn = this.visit(condition, known);
    this.visit(step, both(known, goesOn.yes));
    this.#locals = names;
    this.visit(result, facts);
    this.#locals = outer;
  }

  /** The fact that the first variable is a key, or an index, of the range. */
  #itemFacts({ range, variable2 }: ComprehensionExpr, variable: string): Facts {
    const { kind } = this.#typeOf(range);
    return kind === 'map' || (kind === 'list' && variable2 !== '')
      ? this.#presence(this.#step(range, variable))
      : NO_FACTS;
  }

  /** The facts about the items of `list.filter(x, predicate)`, whose key is `item`. */
  #filterFacts(range: Expr, item: string): Facts {
    if (range.kind !== 'comprehension') return NO_FACTS;
    const fold = recognizeFold(range);
    const isFilter = fold?.kind === 'collector' && fold.item.kind === 'ident' && fold.item.name === range.variable;
    if (fold?.kind !== 'collector' || !isFilter || fold.filter === undefined) return NO_FACTS;
    const outer = this.#locals;
    const found = this.issues.length;
    this.#locals = new Map(outer).set(range.variable, item);
    const { yes } = this.visit(fold.filter, NO_FACTS);
    this.#locals = outer;
    // The visit of the range has reported the issues of the predicate.
    this.issues.length = found;
    return yes === 'never' ? NO_FACTS : yes;
  }

  #newLocal(): string {
    return `#${this.#localCount++}`;
  }

  /** The facts of a comparison of a size with a constant. */
  #comparison(call: CallExpr): Outcome {
    const comparison = sizeComparison(call);
    return comparison === undefined ? UNKNOWN : sizeFacts(comparison, this.key(comparison.list));
  }

  #presence(key: string | undefined): Facts {
    return key === undefined ? NO_FACTS : new Map([[key, 1]]);
  }

  /** The presence of a value that is selected through optionals, and of everything that it is selected from. */
  #chainPresence(expr: Expr): Facts {
    const facts = new Map<string, number>();
    for (let at: Expr | undefined = expr; at !== undefined; at = operandOf(at)) {
      const key = this.key(at);
      if (key !== undefined) facts.set(key, 1);
    }
    return facts;
  }

  #isPresent(expr: Expr, facts: Facts): boolean {
    const key = this.key(expr);
    return key !== undefined && facts.has(key);
  }

  /**
   * The key of an expression: expressions with the same key have the same value. A selection has the same key with and
   * without `?`. Undefined for expressions that are not compared.
   */
  key(expr: Expr): string | undefined {
    switch (expr.kind) {
      case 'literal':
        return literalKey(expr);
      case 'ident':
        return this.#locals.get(expr.name) ?? expr.name;
      case 'select':
        return expr.test ? undefined : this.#step(expr.operand, quoted(expr.field));
      case 'call':
        return this.#callKey(expr);
      default:
        return undefined;
    }
  }

  #callKey({ name, target, args }: CallExpr): string | undefined {
    const [first, second] = args;
    if (name === 'value' && target !== undefined) return this.key(target);
    if (name === 'dyn' && first !== undefined) return this.key(first);
    if ((name === '_?._' || name === '_[_]' || name === '_[?_]') && first !== undefined && second !== undefined)
      return this.#step(first, this.key(second));
    const parts = (target === undefined ? args : [target, ...args]).map((arg) => this.key(arg));
    return parts.includes(undefined) ? undefined : `${name}(${parts.join(',')})`;
  }

  #step(operand: Expr, step: string | undefined): string | undefined {
    const key = this.key(operand);
    return key === undefined || step === undefined ? undefined : `${key}[${step}]`;
  }

  #typeOf(expr: Expr): CelType {
    const type = this.#checked.types.get(expr) ?? DYN;
    return isDyn(type) ? DYN : type;
  }

  #issue(expr: Expr, message: string): void {
    const key = `${this.key(expr) ?? expr.at} ${message}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.issues.push({ at: expr.at, message });
  }
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function literalKey(expr: Expr): string | undefined {
  if (expr.kind !== 'literal') return undefined;
  const { literal } = expr;
  if (literal.type === 'string') return quoted(literal.value);
  if (literal.type === 'null' || literal.type === 'bytes') return undefined;
  return `${literal.type} ${literal.value}`;
}

/** The operand of a selection or an index. */
function operandOf(expr: Expr): Expr | undefined {
  if (expr.kind === 'select') return expr.operand;
  if (expr.kind === 'call' && ['_?._', '_[_]', '_[?_]'].includes(expr.name)) return expr.args[0];
  return undefined;
}

/** The source of a chain of selections from a name; undefined for other expressions. */
function textOf(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name.startsWith('@') ? undefined : expr.name;
  if (expr.kind === 'select') return append(textOf(expr.operand), `.${expr.field}`);
  if (expr.kind !== 'call' || expr.name !== '_?._') return undefined;
  const [operand, field] = expr.args;
  if (operand === undefined || field?.kind !== 'literal' || field.literal.type !== 'string') return undefined;
  return append(textOf(operand), `.?${field.literal.value}`);
}

function append(text: string | undefined, more: string): string | undefined {
  return text === undefined ? undefined : text + more;
}
