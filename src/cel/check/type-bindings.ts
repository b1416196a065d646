/**
 * What type variables stand for while one expression is checked. Invariants: a test that fails leaves no trace; no variable stands for something that holds itself.
 */
import { type CelType, DYN, listOf, mapOf, opaqueType, type ParamType, paramType, typeOf } from '../types.ts';
import { equalTypes, isDyn, isError, isNull, isNullable, mostGeneral, parts, sameMake } from './type-relations.ts';

export class Bindings {
  readonly #bound = new Map<string, CelType>();
  /** What to put back if the test under way fails. */
  readonly #trail: { readonly name: string; readonly before: CelType | undefined }[] = [];
  #count = 0;

  /** A variable of its own. */
  fresh(): ParamType {
    return paramType(`_var${this.#count++}`);
  }

  /** Counts variables that nobody needs, so that messages number the others as cel-go does. */
  skip(count: number): void {
    this.#count += count;
  }

  /** Whether a value of the first type may be used as one of the second; binds variables in both so that it holds. */
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

  /** The type with what its variables stand for; those that stand for nothing stay. */
  resolve(type: CelType): CelType {
    return this.#bound.size === 0 ? type : this.#replace(type, false);
  }

  /** The same, with `dyn` for variables that stand for nothing. */
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
    return sameMake(from, to) && this.#assignParts(parts(from), parts(to));
  }

  /** Makes a variable stand for a type, or finds that it stands for one that disagrees. `unbound`: it stands for nothing and cannot stand for this. */
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

  /** Whether a type is the variable or is made of it. */
  #holds(type: CelType, variable: ParamType): boolean {
    if (type.kind !== 'param') return parts(type).some((part) => this.#holds(part, variable));
    if (type.name === variable.name) return true;
    const bound = this.#bound.get(type.name);
    return bound !== undefined && this.#holds(bound, variable);
  }
}

/** The type with other parts; itself if they stay the same. */
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
