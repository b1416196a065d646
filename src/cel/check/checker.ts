/**
 * The type checker. It accepts the same expressions as cel-go with the same types and overloads, and reports the same
 * issues at the same positions. A node with an issue gets the type `error`, which fits every type, so that the issue is
 * reported once.
 */
import type {
  CallExpr,
  CelIssue,
  ComprehensionExpr,
  Expr,
  ListExpr,
  Literal,
  MapExpr,
  SelectExpr,
  StructExpr,
} from '../ast.ts';
import type { CheckedExpression, CheckResult, Reference } from '../environment.ts';
import type { Overload } from '../library.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  ERROR,
  INT,
  isOptional,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  UINT,
} from '../types.ts';
import type { DeclaredFunction, DeclaredOverload } from './declarations.ts';
import { declaredName, formatSignature, formatType } from './format-type.ts';
import type { Locals, Names } from './resolve-names.ts';
import { Bindings, replaceParts } from './type-bindings.ts';
import { equalTypes, isDyn, isError, mostGeneral } from './type-relations.ts';

/**
 * Checks a tree and takes ownership of it: names of functions and object types in it are replaced by their qualified
 * names.
 */
export function checkExpression(source: string, expr: Expr, names: Names): CheckResult {
  return new Checker(names).run(source, expr);
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const LITERAL_TYPES: Readonly<Record<Literal['type'], CelType>> = {
  null: NULL,
  bool: BOOL,
  int: INT,
  uint: UINT,
  double: DOUBLE,
  string: STRING,
  bytes: BYTES,
};

function optionalPart(type: CelType): CelType | undefined {
  return isOptional(type) ? type.params[0] : undefined;
}

class Checker {
  readonly #names: Names;
  readonly #types = new Map<Expr, CelType>();
  readonly #references = new Map<Expr, Reference>();
  readonly #issues: CelIssue[] = [];
  readonly #bindings = new Bindings();
  #locals: Locals | undefined;

  constructor(names: Names) {
    this.#names = names;
  }

  run(source: string, expr: Expr): CheckResult {
    this.#check(expr);
    if (this.#issues.length > 0) return { ok: false, issues: this.#issues.sort((left, right) => left.at - right.at) };
    for (const [node, type] of this.#types) {
      const settled = this.#bindings.settle(type);
      if (settled !== type) this.#types.set(node, settled);
    }
    const checked: CheckedExpression = {
      source,
      expr,
      type: this.#typeOf(expr),
      types: this.#types,
      references: this.#references,
    };
    return { ok: true, checked };
  }

  #typeOf(expr: Expr): CelType {
    return this.#types.get(expr) ?? ERROR;
  }

  #issue(at: number, message: string): void {
    this.#issues.push({ message, at });
  }

  #undeclared(at: number, name: string): CelType {
    this.#issue(at, `undeclared reference to '${name}' (in container '${this.#names.container}')`);
    return ERROR;
  }

  #mismatch(at: number, expected: CelType, actual: CelType): void {
    this.#issue(at, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`);
  }

  #check(expr: Expr): CelType {
    const type = this.#infer(expr);
    this.#types.set(expr, type);
    return type;
  }

  #infer(expr: Expr): CelType {
    switch (expr.kind) {
      case 'literal':
        return LITERAL_TYPES[expr.literal.type];
      case 'ident':
        return this.#name(expr, expr.name) ?? this.#undeclared(expr.at, expr.name);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'comprehension':
        return this.#comprehension(expr);
    }
  }

  /**
   * Resolves a name, and records the reference of the node. Returns its type; undefined if the name is not declared.
   */
  #name(expr: Expr, name: string): CelType | undefined {
    const meaning = this.#names.find(name, this.#locals);
    if (meaning === undefined) return undefined;
    this.#references.set(expr, meaning.reference);
    return meaning.type;
  }

  #select(expr: SelectExpr): CelType {
    const qualified = this.#names.qualifiedName(expr);
    const named = qualified === undefined ? undefined : this.#name(expr, qualified);
    if (named !== undefined) return named;
    const type = this.#field(expr, expr.operand, expr.field, false);
    return expr.test ? BOOL : this.#bindings.resolve(type);
  }

  /** The type of a field; optional if the operand or the selection is optional. */
  #field(expr: Expr, operand: Expr, field: string, optional: boolean): CelType {
    const type = this.#bindings.resolve(this.#check(operand));
    const part = optionalPart(type);
    const result = this.#fieldOf(expr, part ?? type, field);
    return part !== undefined || optional ? optionalOf(result) : result;
  }

  #fieldOf(expr: Expr, type: CelType, field: string): CelType {
    switch (type.kind) {
      case 'map':
        return type.value;
      case 'object': {
        const declared = type.field(field);
        if (declared !== undefined) return declared;
        this.#issue(expr.at, `undefined field '${field}'`);
        return ERROR;
      }
      case 'param':
        // Binding the parameter to dyn keeps later checks from binding it to a type without fields.
        this.#bindings.assign(DYN, type);
        return DYN;
      default:
        if (type.kind === 'opaque' && type.isObject === true) {
          this.#issue(expr.at, `unexpected failed resolution of '${type.name}'`);
          return ERROR;
        }
        if (!isDyn(type) && !isError(type)) {
          this.#issue(expr.at, `type '${formatType(type)}' does not support field selection`);
        }
        return DYN;
    }
  }

  #optionalSelect(call: CallExpr): CelType | undefined {
    const [operand, field] = call.args;
    if (operand === undefined || field?.kind !== 'literal' || field.literal.type !== 'string') return undefined;
    const type = this.#field(call, operand, field.literal.value, true);
    this.#types.set(field, STRING);
    const overload = this.#names.findFunction(call.name)?.overloads[0]?.overload;
    if (overload !== undefined) this.#references.set(call, { kind: 'overloads', overloads: [overload] });
    return this.#bindings.resolve(type);
  }

  #call(call: Mutable<CallExpr>): CelType {
    if (call.name === '_?._') {
      const type = this.#optionalSelect(call);
      if (type !== undefined) return type;
    }
    for (const arg of call.args) this.#check(arg);
    if (call.target === undefined) {
      const declared = this.#names.findFunction(call.name);
      if (declared === undefined) return this.#undeclared(call.at, call.name);
      call.name = declared.name;
      return this.#resolve(call, declared);
    }
    const prefix = this.#names.qualifiedName(call.target);
    const qualified = prefix === undefined ? undefined : this.#names.findFunction(`${prefix}.${call.name}`);
    if (qualified !== undefined) {
      call.target = undefined;
      call.name = qualified.name;
      return this.#resolve(call, qualified);
    }
    this.#check(call.target);
    const declared = this.#names.findFunction(call.name);
    return declared === undefined ? this.#undeclared(call.at, call.name) : this.#resolve(call, declared);
  }

  /** The type of a call: the result of its overload, or `dyn` if several overloads with different results match. */
  #resolve(call: CallExpr, declared: DeclaredFunction): CelType {
    if (declared.name === '_&&_' || declared.name === '_||_') return this.#logic(call, declared);
    const member = call.target !== undefined;
    const types = call.args.map((arg) => this.#typeOf(arg));
    if (call.target !== undefined) types.unshift(this.#typeOf(call.target));
    const fitting: Overload[] = [];
    let result: CelType | undefined;
    for (const candidate of declared.overloads) {
      if (candidate.member !== member) continue;
      const type = this.#apply(candidate, types);
      if (type === undefined) continue;
      fitting.push(candidate.overload);
      if (result === undefined) result = type;
      else if (!isDyn(result) && !equalTypes(type, result)) result = DYN;
    }
    if (result === undefined) {
      const signature = formatSignature(
        types.map((type) => this.#bindings.settle(type)),
        member,
      );
      this.#issue(call.at, `found no matching overload for '${declared.name}' applied to '${signature}'`);
      return ERROR;
    }
    this.#references.set(call, { kind: 'overloads', overloads: fitting });
    return result;
  }

  /** The result type of an overload for the given argument types; undefined if they do not match. */
  #apply(candidate: DeclaredOverload, types: readonly CelType[]): CelType | undefined {
    const { overload, typeParams } = candidate;
    if (overload.params.length !== types.length) {
      this.#bindings.skip(typeParams.length);
      return undefined;
    }
    if (typeParams.length === 0) return this.#bindings.assignAll(types, overload.params) ? overload.result : undefined;
    const fresh = new Map(typeParams.map((name) => [name, this.#bindings.fresh()]));
    const instance = (type: CelType): CelType =>
      type.kind === 'param' ? (fresh.get(type.name) ?? type) : replaceParts(type, instance);
    if (!this.#bindings.assignAll(types, overload.params.map(instance))) return undefined;
    return this.#bindings.resolve(instance(overload.result));
  }

  #logic(call: CallExpr, declared: DeclaredFunction): CelType {
    let hasIssue = false;
    for (const arg of call.args) {
      const type = this.#typeOf(arg);
      if (this.#bindings.assign(type, BOOL)) continue;
      this.#mismatch(arg.at, BOOL, type);
      hasIssue = true;
    }
    const overload = declared.overloads[0]?.overload;
    if (overload !== undefined) this.#references.set(call, { kind: 'overloads', overloads: [overload] });
    return hasIssue ? ERROR : BOOL;
  }

  /** The type of an optional element, written `?e`: the type inside the optional. */
  #unwrap(value: Expr, type: CelType): CelType {
    const part = optionalPart(type);
    if (part === undefined && !isDyn(type)) this.#mismatch(value.at, optionalOf(type), type);
    return part ?? type;
  }

  #list(list: ListExpr): CelType {
    let joined: CelType | undefined;
    for (const [index, element] of list.elements.entries()) {
      const type = this.#check(element);
      joined = this.#join(joined, list.optional.includes(index) ? this.#unwrap(element, type) : type);
    }
    return listOf(joined ?? this.#bindings.fresh());
  }

  #map(map: MapExpr): CelType {
    let keys: CelType | undefined;
    let values: CelType | undefined;
    for (const { key, value, optional } of map.entries) {
      keys = this.#join(keys, this.#check(key));
      const type = this.#check(value);
      values = this.#join(values, optional ? this.#unwrap(value, type) : type);
    }
    return mapOf(keys ?? this.#bindings.fresh(), values ?? this.#bindings.fresh());
  }

  /** Combines the type of the elements so far with the type of the next one: `dyn` if they differ. */
  #join(joined: CelType | undefined, type: CelType): CelType {
    if (joined === undefined) return type;
    return this.#bindings.assign(joined, type) ? mostGeneral(joined, type) : DYN;
  }

  #struct(struct: Mutable<StructExpr>): CelType {
    const meaning = this.#names.find(struct.name, this.#locals);
    if (meaning === undefined) return this.#undeclared(struct.at, struct.name);
    struct.name = meaning.name;
    const { type } = meaning;
    const made = type.kind === 'type' ? type.of : undefined;
    if (made === undefined) this.#issue(struct.at, `'${declaredName(type)}' is not a type`);
    else if (made.kind !== 'object') this.#issue(struct.at, `'${declaredName(made)}' is not a message type`);
    for (const { at, name, value, optional } of struct.fields) {
      const given = this.#check(value);
      const actual = optional ? this.#unwrap(value, given) : given;
      if (made?.kind !== 'object') continue;
      const expected = made.field(name);
      if (expected === undefined) this.#issue(at, `undefined field '${name}'`);
      else if (!this.#bindings.assign(expected, actual)) {
        const types = `'${formatType(expected)}' but provided type is '${formatType(actual)}'`;
        this.#issue(at, `expected type of field '${name}' is ${types}`);
      }
    }
    return made?.kind === 'object' ? made : ERROR;
  }

  #comprehension(fold: ComprehensionExpr): CelType {
    this.#check(fold.range);
    const accumulated = this.#check(fold.init);
    const outer = this.#locals;
    const withAccumulator = { name: fold.accumulator, type: accumulated, outer };
    const [first, second] = this.#variables(fold);
    this.#locals = { name: fold.variable, type: first, outer: withAccumulator };
    if (fold.variable2 !== '') this.#locals = { name: fold.variable2, type: second, outer: this.#locals };
    this.#check(fold.condition);
    this.#assert(fold.condition, BOOL);
    this.#check(fold.step);
    this.#assert(fold.step, accumulated);
    this.#locals = withAccumulator;
    const result = this.#check(fold.result);
    this.#locals = outer;
    return this.#bindings.resolve(result);
  }

  /** The types of the variables of a comprehension. The second is used only if there are two variables. */
  #variables(fold: ComprehensionExpr): readonly [CelType, CelType] {
    const range = this.#bindings.resolve(this.#typeOf(fold.range));
    const two = fold.variable2 !== '';
    if (range.kind === 'list') return two ? [INT, range.element] : [range.element, ERROR];
    if (range.kind === 'map') return [range.key, range.value];
    if (range.kind === 'param' || isDyn(range) || isError(range)) {
      this.#bindings.assign(DYN, range);
      return [DYN, DYN];
    }
    this.#issue(
      fold.range.at,
      `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
    return [ERROR, ERROR];
  }

  #assert(expr: Expr, expected: CelType): void {
    const type = this.#typeOf(expr);
    if (!this.#bindings.assign(expected, type)) this.#mismatch(expr.at, expected, type);
  }
}
