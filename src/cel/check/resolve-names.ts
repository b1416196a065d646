/**
 * The resolution of names. Variables of comprehensions come first, the innermost before the outer ones, then variables
 * of the environment, then constants and types. In a container, `a.b.name` is tried before `a.name` and `name`.
 */
import type { Expr } from '../ast.ts';
import type { EnvironmentOptions, Reference } from '../environment.ts';
import { type CelType, type ObjectType, typeOf } from '../types.ts';
import { CelTypeValue } from '../values.ts';
import { type Declarations, type DeclaredFunction, rootsOf } from './declarations.ts';

export interface Meaning {
  /** The qualified name. */
  readonly name: string;
  readonly type: CelType;
  readonly reference: Reference;
}

/** The variables of the enclosing comprehensions, a linked list from the innermost outwards. */
export interface Locals {
  readonly name: string;
  readonly type: CelType;
  readonly outer: Locals | undefined;
}

type NamesOptions = Pick<EnvironmentOptions, 'variables' | 'types' | 'findType' | 'container'>;

function typeMeaning(type: ObjectType): Meaning {
  return { name: type.name, type: typeOf(type), reference: { kind: 'constant', value: new CelTypeValue(type) } };
}

export class Names {
  readonly container: string;
  readonly #declarations: Declarations;
  readonly #meanings = new Map<string, Meaning>();
  readonly #roots: ReadonlySet<string>;
  readonly #findType: (name: string) => ObjectType | undefined;

  constructor(declarations: Declarations, options: NamesOptions) {
    const { variables, types = [], container = '' } = options;
    this.#declarations = declarations;
    this.#findType = (name) => options.findType?.(name);
    this.container = container;
    for (const type of types) this.#meanings.set(type.name, typeMeaning(type));
    for (const [index, { name, type }] of variables.entries()) {
      this.#meanings.set(name, { name, type, reference: { kind: 'variable', index, name } });
    }
    this.#roots = rootsOf(this.#meanings.keys());
  }

  /** Resolves a name; undefined if it is not declared. */
  find(name: string, locals: Locals | undefined): Meaning | undefined {
    for (const candidate of this.#candidates(name)) {
      for (let local = locals; local !== undefined; local = local.outer) {
        if (local.name === candidate) {
          return { name: candidate, type: local.type, reference: { kind: 'local', name: candidate } };
        }
      }
      const meaning = this.#meanings.get(candidate) ?? this.#constant(candidate) ?? this.#foundType(candidate);
      if (meaning !== undefined) return meaning;
    }
    return undefined;
  }

  findFunction(name: string): DeclaredFunction | undefined {
    for (const candidate of this.#candidates(name)) {
      const found = this.#declarations.functions.get(candidate);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The text `a.b.c` of a chain of selections that may be a qualified name; undefined for other expressions. */
  qualifiedName(expr: Expr): string | undefined {
    if (expr.kind === 'ident') return this.#mayBeQualified(expr.name) ? expr.name : undefined;
    if (expr.kind !== 'select' || expr.test) return undefined;
    const operand = this.qualifiedName(expr.operand);
    return operand === undefined ? undefined : `${operand}.${expr.field}`;
  }

  #mayBeQualified(root: string): boolean {
    const name = root.startsWith('.') ? root.slice(1) : root;
    if (this.container !== '' || this.#roots.has(name) || this.#declarations.roots.has(name)) return true;
    return this.#findType(name) !== undefined;
  }

  #foundType(name: string): Meaning | undefined {
    const type = this.#findType(name);
    return type === undefined ? undefined : typeMeaning(type);
  }

  #constant(name: string): Meaning | undefined {
    const constant = this.#declarations.constants.get(name);
    if (constant === undefined) return undefined;
    return { name, type: constant.type, reference: { kind: 'constant', value: constant.value } };
  }

  #candidates(name: string): readonly string[] {
    if (name.startsWith('.')) return [name.slice(1)];
    if (this.container === '') return [name];
    const candidates: string[] = [];
    for (let end = this.container.length; end > 0; end = this.container.lastIndexOf('.', end - 1)) {
      candidates.push(`${this.container.slice(0, end)}.${name}`);
    }
    candidates.push(name);
    return candidates;
  }
}
