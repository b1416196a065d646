/**
 * The text form of generated type facts: one text per Go package, one line per struct. Lines are parsed lazily: a
 * package or a struct that is never used costs only its text.
 *
 * A struct is `Name`, then `@` if its fields begin with `kind` and `apiVersion`, `~` if apply treats it as one value,
 * then ` ={...}` for further OpenAPI extensions. Its fields follow, each after a semicolon:
 * `name type number-and-flags`, then any of these:
 * - `go=T` the Go type, if the type does not determine it; `in=A.B` the embedded structs around the field
 * - `patch=S` and `key=K` strategies and merge key of strategic merge
 * - `list` (declared atomic), `list=set`, or `list=a,b` (a map with these keys)
 * - `enum=A|B` (`^` stands for a space) and `format=F` of the innermost scalar
 * - `=JSON` the default of its OpenAPI schema, always last
 *
 * A type is a word for a scalar, for any value or for a part of a JSON schema (`schema-parts`), `[` before the type of
 * items, `{` before the type of values, `Name` for a struct of this package and `package:Name` for one of another. The
 * number is that of protobuf, after those of the messages around it that JSON flattens (`2.5`), or `-` for none. Flags:
 * `*` pointer, `?` omitempty, `z` omitzero, `w` a list that is a message of its own, `!` required, `~` a map or struct
 * that apply treats as one value in this place, `g` one whose fields it merges in this place.
 *
 * Defaults that follow from the type are not written: in OpenAPI an item of a list or a value of a map defaults to the
 * zero of its scalar, or to `{}` for a struct, and bytes, times, quantities, ports, any values and nested lists have no
 * default. The generator fails for a type that does not follow these rules.
 */

import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import type { PatchStrategy } from '../type-view.ts';

export interface PackageFacts {
  /** The name by which other packages refer to it: `core-v1`. */
  readonly id: string;
  /** The last part of its Go path, for messages: `v1`. */
  readonly goPackage: string;
  /** The prefix of the OpenAPI names of its structs: `io.k8s.api.core.v1.`. */
  readonly modelPrefix: string;
  readonly structs: string;
}

/** The kinds of a group-version that live in one package. The names are separated by spaces. */
export type KindsOfPackage = readonly [group: string, version: string, packageId: string, kinds: string];

export interface StructFacts {
  readonly name: string;
  readonly atomic: boolean;
  readonly extensions: JsonObject | undefined;
  /** The texts of the fields, not parsed. */
  readonly fields: readonly string[];
}

export interface FieldFacts {
  readonly name: string;
  /** As written in the facts. */
  readonly type: string;
  /** Undefined if the field has no protobuf form. */
  readonly numbers: readonly number[] | undefined;
  readonly flags: string;
  readonly goType: string | undefined;
  readonly goInline: readonly string[];
  readonly patchStrategies: readonly PatchStrategy[];
  readonly patchMergeKey: string | undefined;
  /** '' if declared atomic; undefined if nothing is declared. */
  readonly list: string | undefined;
  readonly enum: readonly string[] | undefined;
  readonly format: string | undefined;
  readonly defaultValue: JsonValue | undefined;
}

const TYPE_META = ['kind string -? in=TypeMeta', 'apiVersion string -? in=TypeMeta'];

/** Returns the package of a type by its name in OpenAPI documents; undefined if none of `packages` has it. */
export function packageOfType(packages: readonly PackageFacts[], typeName: string): PackageFacts | undefined {
  const split = typeName.lastIndexOf('.') + 1;
  return packages.find(({ modelPrefix }) => modelPrefix.length === split && typeName.startsWith(modelPrefix));
}

/** The lines of a text of structs by the name of the struct, not parsed. */
export function readStructLines(structs: string): Map<string, string> {
  const lines = new Map<string, string>();
  for (let start = 0; start < structs.length; ) {
    const newline = structs.indexOf('\n', start);
    const end = newline < 0 ? structs.length : newline;
    const line = structs.slice(start, end);
    if (line !== '') lines.set(/^\w+/.exec(line)?.[0] ?? '', line);
    start = end + 1;
  }
  return lines;
}

/** Parses the line of a struct. */
export function readStruct(line: string): StructFacts {
  const [head = '', ...fields] = line.split(';');
  const [name = '', ...flags] = beforeJson(head).split(' ');
  return {
    name,
    atomic: flags.includes('~'),
    extensions: jsonOf(head) as JsonObject | undefined,
    fields: flags.includes('@') ? [...TYPE_META, ...fields] : fields,
  };
}

/** Parses the text of a field. */
export function readField(text: string): FieldFacts {
  const [name = '', type = '', place = '', ...rest] = beforeJson(text).split(' ');
  const fact = (key: string): string | undefined => rest.find((word) => word.startsWith(key))?.slice(key.length);
  const flagsAt = place.search(/[^0-9.-]/);
  const where = flagsAt < 0 ? place : place.slice(0, flagsAt);
  return {
    name,
    type,
    numbers: where === '-' ? undefined : where.split('.').map(Number),
    flags: place.slice(where.length),
    goType: fact('go='),
    goInline: fact('in=')?.split('.') ?? [],
    patchStrategies: (fact('patch=')?.split(',') ?? []) as PatchStrategy[],
    patchMergeKey: fact('key='),
    list: rest.includes('list') ? '' : fact('list='),
    enum: fact('enum=')?.replaceAll('^', ' ').split('|'),
    format: fact('format='),
    defaultValue: jsonOf(text),
  };
}

function beforeJson(line: string): string {
  const at = line.indexOf(' =');
  return at < 0 ? line : line.slice(0, at);
}

function jsonOf(line: string): JsonValue | undefined {
  const at = line.indexOf(' =');
  return at < 0 ? undefined : (JSON.parse(line.slice(at + 2)) as JsonValue);
}
