/**
 * The text form of generated shapes: how Go prints the structs of kube-apiserver's internal types as JSON. Messages
 * show values of these types. The types have no JSON names, so every field is printed by its Go name, zero values
 * included. One text per Go package, one line per struct. Lines are parsed when a message first needs the struct.
 *
 * A struct is its name, then its fields in the order of printing, each after a space: `Go=json:type`.
 * - `=json` is the name of the field in the JSON of the versioned type. It is left out if it follows from the Go name:
 *   leading capitals become lower case, except the last of several before a lower-case letter (`FSType`: `fsType`).
 * - `:type` is the zero value as JSON, or the name of a struct, or one of the marks `*` (pointer), `[` (list) and `{`
 *   (map), whose zero value is null. After a mark stands the struct of the values, or nothing if they are printed as
 *   they are: scalars, and types with JSON names of their own. No type: a string.
 * - `<json` instead of a field: the fields of this JSON object stand here, as they are (an embedded ObjectMeta).
 * - `|` before the fields: the struct is a union. Its JSON value is the value of one of its fields.
 *
 * `Name` is a struct of this package, `package:Name` one of another.
 */
import { BugError } from '../../base/errors.ts';
import type { JsonValue } from '../../base/json-value.ts';
import { readStructLines } from '../facts/package-facts.ts';

/** The shapes of one Go package. `Root` names the structs that callers may print. */
export interface PackageShapes<Root extends string = string> {
  /** The name by which other packages refer to it: `core`. */
  readonly id: string;
  readonly roots: readonly Root[];
  /** The packages that its structs refer to. */
  readonly uses: readonly PackageShapes[];
  readonly structs: string;
}

export interface StructShape {
  readonly isUnion: boolean;
  readonly fields: readonly FieldShape[];
}

export interface FieldShape {
  /** Empty for `inline`. */
  readonly goName: string;
  readonly jsonName: string;
  readonly type: 'value' | 'pointer' | 'list' | 'map' | 'inline';
  /** Returns the struct of the value, or of the items of a list or map. Undefined if they are printed as they are. */
  readonly struct: (() => StructShape) | undefined;
  /** The value that is printed if the field is absent. Not used for a struct by value. */
  readonly zero: JsonValue;
}

const MARKS: Readonly<Record<string, FieldShape['type']>> = { '*': 'pointer', '[': 'list', '{': 'map' };

interface ReadPackage {
  readonly lines: ReadonlyMap<string, string>;
  readonly structs: Map<string, StructShape>;
}

const packages = new WeakMap<PackageShapes, ReadPackage>();

/** Returns the shape of a struct, parsed once. Throws BugError if the package does not have it. */
export function structShape(shapes: PackageShapes, name: string): StructShape {
  let known = packages.get(shapes);
  if (known === undefined) {
    known = { lines: readStructLines(shapes.structs), structs: new Map() };
    packages.set(shapes, known);
  }
  let struct = known.structs.get(name);
  if (struct === undefined) {
    const line = known.lines.get(name);
    if (line === undefined) throw new BugError(`the package ${shapes.id} has no shape of ${name}`);
    struct = readStruct(shapes, line);
    known.structs.set(name, struct);
  }
  return struct;
}

function readStruct(shapes: PackageShapes, line: string): StructShape {
  const [, ...words] = line.split(' ');
  const isUnion = words[0] === '|';
  return { isUnion, fields: (isUnion ? words.slice(1) : words).map((word) => readField(shapes, word)) };
}

function readField(shapes: PackageShapes, word: string): FieldShape {
  if (word.startsWith('<'))
    return { goName: '', jsonName: word.slice(1), type: 'inline', struct: undefined, zero: null };
  const colon = word.indexOf(':');
  const [goName = '', jsonName = usualJsonName(goName)] = (colon < 0 ? word : word.slice(0, colon)).split('=');
  const typeText = colon < 0 ? '""' : word.slice(colon + 1);
  const mark = MARKS[typeText.charAt(0)];
  if (mark !== undefined)
    return { goName, jsonName, type: mark, struct: structOf(shapes, typeText.slice(1)), zero: null };
  const struct = structOf(shapes, /[A-Z]/.test(typeText) ? typeText : '');
  const zero = struct === undefined ? (JSON.parse(typeText) as JsonValue) : null;
  return { goName, jsonName, type: 'value', struct, zero };
}

/** Resolves the name of a struct on first use, because structs may be recursive. Undefined for an empty name. */
function structOf(shapes: PackageShapes, reference: string): FieldShape['struct'] {
  if (reference === '') return undefined;
  const [first = '', second] = reference.split(':');
  if (second === undefined) return () => structShape(shapes, first);
  const used = shapes.uses.find(({ id }) => id === first);
  if (used === undefined) throw new BugError(`the package ${shapes.id} does not use ${first}`);
  return () => structShape(used, second);
}

function usualJsonName(goName: string): string {
  const [capitals = ''] = /^[A-Z]+/.exec(goName) ?? [];
  const end = capitals.length > 1 && capitals.length < goName.length ? capitals.length - 1 : capitals.length;
  return goName.slice(0, end).toLowerCase() + goName.slice(end);
}
