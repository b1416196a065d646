/**
 * The static cost estimate of checked expressions, like cel-go's. It depends on sizes only. The cost of a loop is the
 * cost of its body times the size of its range, so that the sizes of nested loops multiply.
 */
import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr } from '../ast.ts';
import type { CheckedExpression, SizeHints } from '../environment.ts';
import type { CallEstimate, CallToEstimate, EstimatedArg, EstimatedItem, Overload, Range } from '../library.ts';
import { type CelType, DYN, isOptional } from '../types.ts';
import {
  addRanges,
  bounded,
  FREE,
  fixed,
  LIST_COST,
  MAP_COST,
  multiplyRanges,
  OBJECT_COST,
  ONE,
  UNBOUNDED,
  UNKNOWN_SIZE,
  uniteRanges,
} from './cost-range.ts';
import { extendPath, NO_PATH, type Path, pathNames, rootPath } from './path.ts';
import { sizeOfEither, standardCost } from './standard-costs.ts';

/** The range of the costs of one evaluation. `max` is UNBOUNDED if a size has no bound. */
export function estimateCost(checked: CheckedExpression, hints: SizeHints): Range {
  return new Estimate(checked, hints).cost(checked.expr);
}

/** The sizes of the keys and values of a container. The keys of a list have size 1. */
interface EntrySize {
  readonly container: 'list' | 'map';
  readonly key: Range;
  readonly value: Range;
}

/** A variable or the accumulator of a comprehension. */
interface Local {
  readonly path: Path;
  readonly size: Range | undefined;
  readonly entry: EntrySize | undefined;
}

/** The empty range, the neutral element of `uniteRanges`. */
const NOTHING: Range = { min: UNBOUNDED, max: 0 };

class Estimate {
  readonly #checked: CheckedExpression;
  readonly #hints: SizeHints;
  readonly #paths = new Map<Expr, Path>();
  readonly #sizes = new Map<Expr, Range>();
  readonly #entries = new Map<Expr, EntrySize>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: CheckedExpression, hints: SizeHints) {
    this.#checked = checked;
    this.#hints = hints;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case 'literal':
        return FREE;
      case 'ident':
        return this.#name(expr, expr.name);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return expr.fields.reduce((sum, field) => addRanges(sum, this.cost(field.value)), fixed(OBJECT_COST));
      default:
        return isBinding(expr) ? this.#binding(expr) : this.#comprehension(expr);
    }
  }

  // ── Names and containers ───────────────────────────────────────────────────────────────────────────────────────────

  #name(expr: Expr, name: string): Range {
    this.#paths.set(expr, this.#local(name)?.path ?? rootPath(name));
    return ONE;
  }

  #select(expr: Extract<Expr, { kind: 'select' }>): Range {
    const reference = this.#checked.references.get(expr);
    if (reference?.kind === 'variable') return this.#name(expr, reference.name);
    if (reference?.kind === 'constant') return this.#name(expr, qualifiedName(expr));
    const operand = this.cost(expr.operand);
    // In Kubernetes' environments `has` costs no more than its operand.
    if (expr.test) return operand;
    this.#paths.set(expr, extendPath(this.#path(expr.operand), expr.field));
    const { kind } = this.#type(expr.operand);
    return kind === 'map' || kind === 'object' || kind === 'param' ? addRanges(operand, ONE) : operand;
  }

  #list(expr: ListExpr): Range {
    let sum = fixed(LIST_COST);
    let value = expr.elements.length === 0 ? FREE : NOTHING;
    for (const element of expr.elements) {
      sum = addRanges(sum, this.cost(element));
      value = uniteRanges(value, this.#sizeOrUnknown(element));
    }
    this.#entries.set(expr, { container: 'list', key: ONE, value });
    return sum;
  }

  #map(expr: MapExpr): Range {
    let sum = fixed(MAP_COST);
    let key = expr.entries.length === 0 ? FREE : NOTHING;
    let value = key;
    for (const entry of expr.entries) {
      sum = addRanges(addRanges(sum, this.cost(entry.key)), this.cost(entry.value));
      key = uniteRanges(key, this.#sizeOrUnknown(entry.key));
      value = uniteRanges(value, this.#sizeOrUnknown(entry.value));
    }
    this.#entries.set(expr, { container: 'map', key, value });
    return sum;
  }

  // ── Loops ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  #comprehension(expr: ComprehensionExpr): Range {
    const before = addRanges(this.cost(expr.range), this.cost(expr.init));
    this.#push(expr.accumulator, this.#localOf(expr.init));
    if (expr.variable2 === '') this.#push(expr.variable, this.#iterated(expr.range, 'single'));
    else {
      this.#push(expr.variable, this.#iterated(expr.range, 'key'));
      this.#push(expr.variable2, this.#iterated(expr.range, 'value'));
    }
    const condition = this.cost(expr.condition);
    const turn = addRanges(this.cost(expr.step), condition);
    this.#pop(expr.variable);
    if (expr.variable2 !== '') this.#pop(expr.variable2);
    const around = addRanges(before, this.cost(expr.result));
    this.#pop(expr.accumulator);

    // The size of the range is read after the body, because the body may change its path: see `path.ts`.
    const turns = this.#sizeOrUnknown(expr.range);
    this.#sizeLoop(expr, turns);
    return addRanges(around, multiplyRanges(turns, turn));
  }

  #sizeLoop(expr: ComprehensionExpr, turns: Range): void {
    if (expr.init.kind === 'literal') this.#setSize(expr, this.#size(expr.init));
    else if (expr.init.kind === 'list' || expr.init.kind === 'map') {
      this.#setSize(expr, turns);
      this.#setEntry(expr, this.#entry(expr.step));
    }
  }

  /** A comprehension over an empty list, which binds a value to a name: `cel.bind`. */
  #binding(expr: ComprehensionExpr): Range {
    const before = addRanges(this.cost(expr.range), this.cost(expr.init));
    this.#push(expr.accumulator, this.#localOf(expr.init));
    const cost = addRanges(before, this.cost(expr.result));
    this.#pop(expr.accumulator);
    this.#copySizes(expr, expr.result);
    return cost;
  }

  #localOf(expr: Expr): Local {
    return { path: this.#path(expr), entry: this.#entry(expr), size: this.#size(expr) };
  }

  #iterated(range: Expr, part: 'single' | 'key' | 'value'): Local {
    const entry = this.#entry(range);
    const isList = (entry?.container ?? this.#type(range).kind) === 'list';
    const isKey = part === 'key' || (part === 'single' && !isList);
    const name = isKey ? (isList ? '@indices' : '@keys') : isList ? '@items' : '@values';
    const path = extendPath(this.#path(range), name);
    return { path, size: isKey ? entry?.key : entry?.value, entry: undefined };
  }

  // ── Calls ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  #call(expr: CallExpr): Range {
    if (expr.name === 'dyn') {
      const arg = expr.args[0] as Expr;
      const cost = addRanges(ONE, this.cost(arg));
      this.#copySizes(expr, arg);
      return cost;
    }
    const paths = new Map<EstimatedArg, Path>();
    const costs: Range[] = [];
    const args: EstimatedArg[] = [];
    const take = (arg: Expr): void => {
      costs.push(this.cost(arg));
      const estimated = { expr: arg, type: this.#type(arg), size: this.#size(arg) };
      paths.set(estimated, this.#path(arg));
      args.push(estimated);
    };
    for (const arg of expr.args) take(arg);
    const reference = this.#checked.references.get(expr);
    if (reference?.kind !== 'overloads' || reference.overloads.length === 0) return FREE;
    if (expr.target !== undefined) {
      take(expr.target);
      costs.unshift(costs.pop() as Range);
      args.unshift(args.pop() as EstimatedArg);
    }
    const call: CallToEstimate = {
      args,
      sizeOf: (arg) => arg.size ?? UNKNOWN_SIZE,
      itemOf: (arg) => this.#itemOf(arg.type, paths.get(arg) ?? NO_PATH),
    };
    return this.#overloads(expr, reference.overloads, call, costs);
  }

  #overloads(expr: CallExpr, overloads: readonly Overload[], call: CallToEstimate, costs: readonly Range[]): Range {
    let cost: Range = NOTHING;
    let size: Range | undefined;
    for (const overload of overloads) {
      const estimate = this.#overload(expr, overload, call, costs);
      cost = uniteRanges(cost, estimate.cost);
      const { resultSize } = estimate;
      if (resultSize !== undefined) size = size === undefined ? resultSize : uniteRanges(size, resultSize);
      const first = call.args[0]?.expr;
      if (first !== undefined && (overload.id === 'index_list' || overload.id === 'index_map')) {
        size = this.#entry(first)?.value;
        const part = overload.id === 'index_list' ? '@items' : '@values';
        this.#paths.set(expr, extendPath(this.#path(first), part));
      }
      size ??= this.#size(expr);
    }
    this.#setSize(expr, size);
    return cost;
  }

  /** The cost of a call including the costs of its arguments. */
  #overload(expr: CallExpr, overload: Overload, call: CallToEstimate, costs: readonly Range[]): CallEstimate {
    const [first = FREE, second = FREE, third = FREE] = costs;
    switch (overload.id) {
      case 'logical_and':
      case 'logical_or':
        return { cost: { min: first.min, max: addRanges(first, second).max } };
      case 'conditional':
        this.#setEntry(expr, uniteEntries(this.#entry(expr.args[1] as Expr), this.#entry(expr.args[2] as Expr)));
        return { cost: addRanges(first, uniteRanges(second, third)), resultSize: sizeOfEither(call) };
      case 'add_string':
      case 'add_bytes':
      case 'add_list':
        this.#setEntry(expr, uniteEntries(this.#entry(expr.args[0] as Expr), this.#entry(expr.args[1] as Expr)));
    }
    const estimator = standardCost(overload.id) ?? overload.estimateCost;
    const estimate: CallEstimate = estimator?.(call) ?? { cost: ONE };
    const cost = costs.reduce(addRanges, estimate.cost);
    return estimate.resultSize === undefined ? { cost } : { cost, resultSize: estimate.resultSize };
  }

  #itemOf(type: CelType, path: Path): EstimatedItem | undefined {
    const item = itemType(type);
    if (item === undefined) return undefined;
    if (path.length === 0) return { type: item, size: UNKNOWN_SIZE };
    const size = this.#hints.size([...pathNames(path), '@items'], item);
    return { type: item, size: size === undefined ? UNKNOWN_SIZE : bounded(size) };
  }

  // ── Types, paths and sizes of nodes ────────────────────────────────────────────────────────────────────────────────

  #type(expr: Expr): CelType {
    return this.#checked.types.get(expr) ?? DYN;
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name);
    if (stack === undefined) this.#locals.set(name, [local]);
    else stack.push(local);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #path(expr: Expr): Path {
    const local = expr.kind === 'ident' ? this.#local(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr) ?? NO_PATH;
  }

  #sizeOrUnknown(expr: Expr): Range {
    return this.#size(expr) ?? UNKNOWN_SIZE;
  }

  #size(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr) ?? literalSize(expr);
    if (known !== undefined) return known;
    const path = this.#path(expr);
    const type = this.#type(expr);
    const hint = path.length === 0 ? undefined : this.#hints.size(pathNames(path), type);
    if (hint !== undefined) {
      const size = bounded(hint);
      this.#sizes.set(expr, size);
      return size;
    }
    if (isScalar(type)) return ONE;
    return expr.kind === 'ident' ? this.#local(expr.name)?.size : undefined;
  }

  #setSize(expr: Expr, size: Range | undefined): void {
    if (size !== undefined) this.#sizes.set(expr, size);
  }

  #entry(expr: Expr): EntrySize | undefined {
    return this.#entries.get(expr) ?? (expr.kind === 'ident' ? this.#local(expr.name)?.entry : undefined);
  }

  #setEntry(expr: Expr, entry: EntrySize | undefined): void {
    if (entry !== undefined) this.#entries.set(expr, entry);
  }

  #copySizes(to: Expr, from: Expr): void {
    this.#setSize(to, this.#size(from));
    this.#setEntry(to, this.#entry(from));
  }
}

function isBinding(expr: ComprehensionExpr): boolean {
  const { range, condition } = expr;
  if (range.kind !== 'list' || range.elements.length > 0 || condition.kind !== 'literal') return false;
  return condition.literal.type === 'bool' && !condition.literal.value;
}

/** The qualified name of a chain of selections. */
function qualifiedName(expr: Expr): string {
  if (expr.kind === 'select') return `${qualifiedName(expr.operand)}.${expr.field}`;
  return expr.kind === 'ident' ? expr.name : '';
}

/** The size of a literal. */
function literalSize(expr: Expr): Range | undefined {
  switch (expr.kind) {
    case 'list':
      return fixed(expr.elements.length);
    case 'map':
      return fixed(expr.entries.length);
    case 'literal':
      if (expr.literal.type === 'string') return fixed([...expr.literal.value].length);
      return fixed(expr.literal.type === 'bytes' ? expr.literal.value.length : 1);
    default:
      return undefined;
  }
}

function isScalar(type: CelType): boolean {
  if (isOptional(type)) return isScalar(type.params[0] as CelType);
  return type.kind === 'basic' && SCALARS.has(type.name);
}

const SCALARS: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

/** The first type parameter of a type. */
function itemType(type: CelType): CelType | undefined {
  switch (type.kind) {
    case 'list':
      return type.element;
    case 'map':
      return type.key;
    case 'type':
      return type.of;
    case 'opaque':
      return type.params[0];
    default:
      return undefined;
  }
}

function uniteEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { container: a.container, key: uniteRanges(a.key, b.key), value: uniteRanges(a.value, b.value) };
}
