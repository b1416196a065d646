/**
 * The declarations of a set of libraries, prepared for lookup.
 *
 * Invariant: the overloads of a function never overlap, so that their order does not matter.
 */
import { BugError } from '../../base/errors.ts';
import type { Library, Macro, NamedConstant, Overload, Validator } from '../library.ts';
import type { CelType } from '../types.ts';
import { equalTypes, isDyn, parts, sameConstructor } from './type-relations.ts';

export interface DeclaredOverload {
  readonly overload: Overload;
  readonly member: boolean;
  /** The names of the type parameters. */
  readonly typeParams: readonly string[];
}

export interface DeclaredFunction {
  readonly name: string;
  readonly overloads: readonly DeclaredOverload[];
}

export interface Declarations {
  readonly functions: ReadonlyMap<string, DeclaredFunction>;
  readonly constants: ReadonlyMap<string, NamedConstant>;
  readonly macros: ReadonlyMap<string, readonly Macro[]>;
  readonly optionalSyntax: boolean;
  readonly validators: readonly Validator[];
  readonly mixedLiteralsIn: ReadonlySet<string>;
  /** The first parts of qualified names of functions and constants. */
  readonly roots: ReadonlySet<string>;
}

/** Collects the declarations of libraries and the given macros. Throws BugError if overloads conflict. */
export function collectDeclarations(libraries: readonly Library[], macros: readonly Macro[]): Declarations {
  const functions = new Map<string, DeclaredOverload[]>();
  const constants = new Map<string, NamedConstant>();
  const byName = new Map<string, Macro[]>();
  for (const library of libraries) {
    for (const { name, overloads } of library.functions) {
      const declared = functions.get(name) ?? [];
      functions.set(name, declared);
      for (const overload of overloads) addOverload(name, declared, overload);
    }
    for (const constant of library.constants ?? []) constants.set(constant.name, constant);
  }
  // Macros of later libraries come first, so that a library may replace a macro.
  for (const macro of [macros, ...libraries.map((library) => library.macros ?? [])].flat().reverse()) {
    byName.set(macro.name, [...(byName.get(macro.name) ?? []), macro]);
  }
  return {
    functions: new Map([...functions].map(([name, overloads]) => [name, { name, overloads }])),
    constants,
    macros: byName,
    optionalSyntax: libraries.some((library) => library.optionalSyntax === true),
    validators: libraries.flatMap((library) => library.validators ?? []),
    mixedLiteralsIn: new Set(libraries.flatMap((library) => library.mixedLiteralsIn ?? [])),
    roots: rootsOf([...functions.keys(), ...constants.keys()]),
  };
}

/** The first parts of the qualified names. */
export function rootsOf(names: Iterable<string>): ReadonlySet<string> {
  const roots = new Set<string>();
  for (const name of names) {
    const dot = name.indexOf('.');
    if (dot > 0) roots.add(name.slice(0, dot));
  }
  return roots;
}

function addOverload(name: string, declared: DeclaredOverload[], overload: Overload): void {
  for (const { overload: other } of declared) {
    if (other.id === overload.id) {
      if (sameSignature(other, overload)) return;
      throw new BugError(`CEL function ${name} has two overloads ${overload.id}`);
    }
    if (overlap(other, overload)) {
      throw new BugError(`CEL function ${name}: overload ${other.id} overlaps ${overload.id}`);
    }
  }
  const typeParams = new Set<string>();
  for (const type of [overload.result, ...overload.params]) collectParams(type, typeParams);
  declared.push({ overload, member: overload.member === true, typeParams: [...typeParams] });
}

function collectParams(type: CelType, into: Set<string>): void {
  if (type.kind === 'param') into.add(type.name);
  for (const part of parts(type)) collectParams(part, into);
}

function sameSignature(left: Overload, right: Overload): boolean {
  return (
    sameShape(left, right) &&
    equalTypes(left.result, right.result) &&
    left.params.every((param, index) => equalTypes(param, right.params[index] ?? left.result))
  );
}

function sameShape(left: Overload, right: Overload): boolean {
  return (left.member === true) === (right.member === true) && left.params.length === right.params.length;
}

function overlap(left: Overload, right: Overload): boolean {
  return (
    sameShape(left, right) &&
    left.params.every((param, index) => {
      const other = right.params[index];
      return other !== undefined && (covers(param, other) || covers(other, param));
    })
  );
}

/** True if every value of the second type is also a value of the first. */
function covers(type: CelType, other: CelType): boolean {
  if (isDyn(type) || type.kind === 'param') return true;
  if (!sameConstructor(type, other)) return false;
  const others = parts(other);
  return parts(type).every((part, index) => {
    const otherPart = others[index];
    return otherPart !== undefined && covers(part, otherPart);
  });
}
