/**
 * The form in which generated facts are kept: one text per Go package, one line per struct. Invariant: reading is lazy, so a package that
 * nobody asks about costs its text and nothing else, and a struct that nobody reaches costs its line.
 *
 * A struct is `Name`, then `@` if its fields begin with `kind` and `apiVersion`, `~` if apply takes it as one value, then ` ={...}` for further OpenAPI extensions. Its fields follow, each
 * after a semicolon: `name type number-and-flags`, then any of these:
 * - `go=T` its Go type, where the type does not tell it; `in=A.B` the embedded structs around it
 * - `patch=S` and `key=K` strategies and merge key of strategic merge
 * - `list` (declared atomic), `list=set`, or `list=a,b` (a map with these keys)
 * - `enum=A|B` (`^` stands for a space), `format=F` of the scalar at the bottom
 * - `=JSON` the default of its OpenAPI schema, always last
 *
 * A type is a word for a scalar, for anything or for a part of a JSON schema (`schema-parts`), `[` before the type of items, `{` before the type of values, `Name` for a struct of this
 * package and `package:Name` for one of another. The number is that of protobuf, after those of the messages around it that JSON flattens
 * (`2.5`), or `-` for none. Flags: `*` pointer, `?` omitempty, `z` omitzero, `w` a list that is a message of its own, `!` required, `~` a
 * map or struct that apply takes as one value in this place, `g` one whose fields it merges in this place.
 *
 * Not written because it follows: in OpenAPI an item of a list or a value of a map defaults to the zero of its scalar or to `{}` for a
 * struct, and bytes, times, quantities, ports, anything and nested lists have no default. The generator stops where that is not so.
 */

import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import type { PatchStrategy } from '../type-view.ts';

export interface PackageFacts {
  /** `core-v1`: how other packages refer to it. */
  readonly id: string;
  /** The last part of its Go path, as messages show it: `v1`. */
  readonly goPackage: string;
  /** Before the name of a struct it makes the name in OpenAPI: `io.k8s.api.core.v1.`. */
  readonly modelPrefix: string;
  readonly structs: string;
}

/** Kinds of a group-version that live in one package; their names are separated by spaces. */
export type KindsOfPackage = readonly [group: string, version: string, packageId: string, kinds: string];

export interface StructFacts {
  readonly name: string;
  readonly atomic: boolean;
  readonly extensions: JsonObject | undefined;
  /** The texts of its fields, unread. */
  readonly fields: readonly string[];
}

export interface FieldFacts {
  readonly name: string;
  /** As in the text. */
  readonly type: string;
  /** Undefined without a binary form. */
  readonly numbers: readonly number[] | undefined;
  readonly flags: string;
  readonly goType: string | undefined;
  readonly goInline: readonly string[];
  readonly patchStrategies: readonly PatchStrategy[];
  readonly patchMergeKey: string | undefined;
  /** '' declared atomic; undefined if nothing is declared. */
  readonly list: string | undefined;
  readonly enum: readonly string[] | undefined;
  readonly format: string | undefined;
  readonly defaultValue: JsonValue | undefined;
}

const TYPE_META = ['kind string -? in=TypeMeta', 'apiVersion string -? in=TypeMeta'];

/** The lines of a package's structs by name, unread. */
export function readStructLines({ structs }: PackageFacts): Map<string, string> {
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

/** One struct from its line. */
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

/** One field from its text. */
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
