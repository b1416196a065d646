/**
 * The check of the type of an expression against the schema of the field that it sets. Literals, conditions and the
 * items of `map` are followed into the expression, because their types alone say less: a map literal has the type of a
 * map, although its keys are known.
 */
import type { Expr, MapExpr } from '../../../cel/ast.ts';
import { formatType } from '../../../cel/check/format-type.ts';
import { isDyn } from '../../../cel/check/type-relations.ts';
import type { CheckedExpression } from '../../../cel/environment.ts';
import { recognizeFold } from '../../../cel/runtime/macro-folds.ts';
import { type CelType, DYN, isOptional } from '../../../cel/types.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import { schemaOfType } from './expression-types.ts';
import { isAlwaysSet, isAny, isMap, stepInto } from './schema-fields.ts';
import { differenceOf, titleOf } from './value-fit.ts';

/**
 * Returns the reason why values of the expression do not fit the field; undefined if they do. `source` is the schema of
 * `self`.
 */
export function misfitOf(
  checked: CheckedExpression,
  source: StructuralSchema,
  target: StructuralSchema | 'any',
): string | undefined {
  return target === 'any' ? undefined : new FitCheck(checked, source).expression(checked.expr, target, true);
}

/** Reports whether the expression may set nothing. */
export function mayBeEmpty({ type }: CheckedExpression): boolean {
  return isOptional(type);
}

class FitCheck {
  readonly #checked: CheckedExpression;
  readonly #source: StructuralSchema;

  constructor(checked: CheckedExpression, source: StructuralSchema) {
    this.#checked = checked;
    this.#source = source;
  }

  /** `allowsEmpty`: the expression may be an optional, whose value is set if it has one. */
  expression(expr: Expr, target: StructuralSchema, allowsEmpty: boolean): string | undefined {
    if (isAny(target)) return undefined;
    const type = this.#checked.types.get(expr) ?? DYN;
    if (expr.kind === 'list' && target.type === 'array') {
      const items = target.items;
      if (items === undefined) return undefined;
      for (const [i, element] of expr.elements.entries()) {
        const misfit = this.expression(element, items, expr.optional.includes(i));
        if (misfit !== undefined) return misfit;
      }
      return undefined;
    }
    if (expr.kind === 'map' && target.type === 'object') return this.#map(expr, target);
    if (
      expr.kind === 'literal' &&
      expr.literal.type === 'string' &&
      target.enum?.includes(expr.literal.value) === false
    )
      return `${JSON.stringify(expr.literal.value)} is none of the values that the field may have`;
    if (expr.kind === 'comprehension' && target.type === 'array') {
      const fold = recognizeFold(expr);
      const items = target.items;
      if (fold?.kind === 'collector' && items !== undefined) return this.expression(fold.item, items, false);
    }
    if (expr.kind === 'call') {
      const [first, second, third] = expr.args as readonly [Expr, Expr, Expr];
      if (expr.name === '_?_:_')
        return this.expression(second, target, allowsEmpty) ?? this.expression(third, target, allowsEmpty);
      if (expr.name === 'dyn') return this.expression(first, target, allowsEmpty);
      if (allowsEmpty && expr.name === 'optional.of') return this.expression(first, target, false);
      if (allowsEmpty && expr.name === 'optional.none') return undefined;
      if (expr.name === 'orValue' && expr.target !== undefined)
        return this.expression(expr.target, target, true) ?? this.expression(first, target, false);
    }
    if (isOptional(type) && allowsEmpty) return this.type(type.params[0] ?? DYN, target);
    return this.type(type, target);
  }

  /** A map literal as an object or a map. */
  #map({ entries }: MapExpr, target: StructuralSchema): string | undefined {
    const names = new Set<string>();
    for (const { key, value, optional } of entries) {
      if (key.kind !== 'literal' || key.literal.type !== 'string') {
        const values = typeof target.additionalProperties === 'object' ? target.additionalProperties : undefined;
        if (!isMap(target)) return `${titleOf(target)} needs keys that are string literals`;
        const misfit = values === undefined ? undefined : this.expression(value, values, optional);
        if (misfit !== undefined) return misfit;
        continue;
      }
      const name = key.literal.value;
      const field = stepInto(target, name);
      if (field === undefined) return `the object has no field ${JSON.stringify(name)}`;
      const misfit = field === 'any' ? undefined : this.expression(value, field, optional);
      if (misfit !== undefined) return `${JSON.stringify(name)}: ${misfit}`;
      if (!optional) names.add(name);
    }
    const missing = target.required.find(
      (name) => !names.has(name) && target.properties.get(name)?.default === undefined,
    );
    return missing === undefined ? undefined : `the object needs the field ${JSON.stringify(missing)}`;
  }

  type(type: CelType, target: StructuralSchema): string | undefined {
    if (isAny(target)) return undefined;
    const misfit = (): string => `an expression of type ${formatType(type)} cannot set ${titleOf(target)}`;
    if (isDyn(type))
      return target.intOrString
        ? undefined
        : `${misfit()}: its type is known only at run time; convert it, such as by int()`;
    switch (type.kind) {
      case 'basic':
        return fitsBasic(type.name, target) ? undefined : misfit();
      case 'list': {
        if (target.type !== 'array') return misfit();
        return target.items === undefined ? undefined : this.type(type.element, target.items);
      }
      case 'map': {
        if (!isMap(target)) return misfit();
        const { additionalProperties: values } = target;
        return typeof values === 'object' ? this.type(type.value, values) : undefined;
      }
      case 'object': {
        const source = schemaOfType(this.#source, type.name);
        return source === undefined ? misfit() : (this.#object(source, target) ?? undefined);
      }
      default:
        return misfit();
    }
  }

  /** An object of the source that is set as a whole. */
  #object(source: StructuralSchema, target: StructuralSchema): string | undefined {
    const difference = differenceOf(source, target);
    if (difference !== undefined) return `the value ${difference.source}, but the field ${difference.target}`;
    for (const name of target.required)
      if (!isAlwaysSet(source, name, false) && target.properties.get(name)?.default === undefined)
        return `the object needs the field ${JSON.stringify(name)}`;
    for (const [name, property] of source.properties) {
      const field = stepInto(target, name);
      const misfit = field === undefined || field === 'any' ? undefined : this.#object(property, field);
      if (misfit !== undefined) return `${JSON.stringify(name)}: ${misfit}`;
    }
    const [items, wanted] = [source.items, target.items];
    if (items !== undefined && wanted !== undefined) return this.#object(items, wanted);
    const [values, others] = [source.additionalProperties, target.additionalProperties];
    return typeof values === 'object' && typeof others === 'object' ? this.#object(values, others) : undefined;
  }
}

function fitsBasic(name: string, target: StructuralSchema): boolean {
  const { type, intOrString, nullable } = target;
  switch (name) {
    case 'null_type':
      return nullable;
    case 'bool':
      return type === 'boolean';
    case 'int':
    case 'uint':
      return type === 'integer' || type === 'number' || intOrString;
    case 'double':
      return type === 'number';
    case 'string':
      return type === 'string' || intOrString;
    case 'bytes':
      return type === 'string' && fitsFormat(target, ['byte']);
    case 'duration':
      return type === 'string' && fitsFormat(target, ['duration']);
    case 'timestamp':
      return type === 'string' && fitsFormat(target, ['date', 'datetime']);
    default:
      return false;
  }
}

/** Reports whether a string field has one of the formats, or none. */
function fitsFormat({ format }: StructuralSchema, formats: readonly string[]): boolean {
  return format === '' || formats.includes(format.replaceAll('-', ''));
}
