/**
 * The bindings of type parameters while one expression is checked.
 *
 * Invariants: a failed assignment leaves the bindings unchanged. No parameter is bound to a type that contains it.
 */
import { type CelType, DYN, listOf, mapOf, opaqueType, type ParamType, paramType, typeOf } from '../types.ts';
import {
  equalTypes,
  isDyn,
  isError,
  isNull,
  isNullable,
  mostGeneral,
  parts,
  sameConstructor,
} from './type-relations.ts';

export class Bindings {
  readonly #bound = new Map<string, CelType>();
  /** The bindings to restore if the current assignment fails. */
  readonly #trail: { readonly name: string; readonly before: CelType | undefined }[] = [];
  #count = 0;

  /** A new type parameter. */
  fresh(): ParamType {
    return paramType(`_var${this.#count++}`);
  }

  /** Skips numbers of type parameters, so that messages contain the same numbers as cel-go's. */
  skip(count: number): void {
    this.#count += count;
  }

  /** True if a value of the first type is assignable to the second. Binds the parameters of both types accordingly. */
  assign(from: CelType, to: CelType): boolean {
    return this.assignAll([from], [to]);
  }

  assignAll(from: readonly CelType[], to: readonly CelType[]): boolean {
    const held = this.#assignParts(from, to);
    if (!held) {
      for (let change = this.#trail.pop(); change !== undefined; change = this.#trail.pop()) {
        if (change.before === undefined) this.#bound.delete(change.name);
        else this.#bound.set(change.name, change.before);
      }
    }
    this.#trail.length = 0;
    return held;
  }

  /** Replaces bound parameters by their types. Unbound parameters stay. */
  resolve(type: CelType): CelType {
    return this.#bound.size === 0 ? type : this.#replace(type, false);
  }

  /** Replaces bound parameters by their types and unbound ones by `dyn`. */
  settle(type: CelType): CelType {
    return this.#replace(type, true);
  }

  #replace(type: CelType, settle: boolean): CelType {
    if (type.kind === 'param') {
      const bound = this.#bound.get(type.name);
      if (bound !== undefined) return this.#replace(bound, settle);
      return settle ? DYN : type;
    }
    return replaceParts(type, (part) => this.#replace(part, settle));
  }

  #set(name: string, type: CelType): void {
    this.#trail.push({ name, before: this.#bound.get(name) });
    this.#bound.set(name, type);
  }

  #assignParts(from: readonly CelType[], to: readonly CelType[]): boolean {
    return (
      from.length === to.length &&
      from.every((type, index) => {
        const other = to[index];
        return other !== undefined && this.#assignable(type, other);
      })
    );
  }

  #assignable(from: CelType, to: CelType): boolean {
    if (to.kind === 'param') {
      const outcome = this.#bind(from, to);
      if (outcome !== 'unbound') return outcome === 'agrees';
    }
    if (from.kind === 'param') return this.#bind(to, from) === 'agrees';
    if (from === to) return true;
    if (isDyn(from) || isError(from) || isDyn(to) || isError(to)) return true;
    if (isNull(from)) return isNullable(to);
    if (isNull(to)) return isNullable(from);
    if (from.kind === 'type') return to.kind === 'type';
    return sameConstructor(from, to) && this.#assignParts(parts(from), parts(to));
  }

  /**
   * Binds a parameter to a type, or compares the type with the bound one. `unbound`: the parameter is not bound and
   * cannot be bound to this type.
   */
  #bind(type: CelType, variable: ParamType): 'agrees' | 'disagrees' | 'unbound' {
    if (type.kind === 'param' && type.name === variable.name) return 'agrees';
    const bound = this.#bound.get(variable.name);
    if (bound === undefined) {
      if (this.#holds(type, variable)) return 'unbound';
      this.#set(variable.name, type);
      return 'agrees';
    }
    if (equalTypes(type, bound)) return 'agrees';
    if (!this.#assignable(type, bound)) return 'disagrees';
    const general = mostGeneral(type, bound);
    if (!this.#holds(general, variable)) this.#set(variable.name, general);
    return 'agrees';
  }

  /** True if the type is or contains the parameter. */
  #holds(type: CelType, variable: ParamType): boolean {
    if (type.kind !== 'param') return parts(type).some((part) => this.#holds(part, variable));
    if (type.name === variable.name) return true;
    const bound = this.#bound.get(type.name);
    return bound !== undefined && this.#holds(bound, variable);
  }
}

/** Replaces the parts of a type. Returns the type itself if no part changes. */
export function replaceParts(type: CelType, replace: (part: CelType) => CelType): CelType {
  switch (type.kind) {
    case 'list': {
      const element = replace(type.element);
      return element === type.element ? type : listOf(element);
    }
    case 'map': {
      const key = replace(type.key);
      const value = replace(type.value);
      return key === type.key && value === type.value ? type : mapOf(key, value);
    }
    case 'type': {
      const of = replace(type.of);
      return of === type.of ? type : typeOf(of);
    }
    case 'opaque': {
      if (type.params.length === 0) return type;
      const params = type.params.map(replace);
      return params.every((param, index) => param === type.params[index]) ? type : opaqueType(type.name, ...params);
    }
    default:
      return type;
  }
}
