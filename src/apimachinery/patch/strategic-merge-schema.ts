/**
 * The merge rules of a type: how a field merges, and the type below it. The results and errors are those that the
 * reference gets by reflection from the Go type of the view.
 */
import { quote } from '../go-format.ts';
import type { FieldView, ScalarType, StructView, TypeView } from '../type-view.ts';

/** A type and whether it is a pointer. The pointer matters only to error messages. */
export interface MergeSchema {
  readonly view: TypeView;
  readonly pointer: boolean;
}

export interface FieldMerge {
  /** The type of the field; for a list, that of its elements. */
  readonly schema: MergeSchema;
  readonly strategy: 'merge' | 'replace' | undefined;
  /** '' if there is none. */
  readonly mergeKey: string;
}

/** How a field merges, or the reference's error message. */
export function lookupField(parent: MergeSchema, name: string): FieldMerge | string {
  const field = findField(parent.view, name);
  if (typeof field === 'string') return field;
  return mergeOf(field, { view: field.type, pointer: field.wire?.pointer ?? false });
}

/** As `lookupField`, for a field that holds a list. */
export function lookupListField(parent: MergeSchema, name: string): FieldMerge | string {
  const field = findField(parent.view, name);
  if (typeof field === 'string') return field;
  const pointer = field.wire?.pointer ?? false;
  if (field.type.kind === 'list') {
    const items = field.type.items;
    if (!pointer && goKind(items) === 'slice') return 'unexpected slice of slice';
    return mergeOf(field, { view: items, pointer: false });
  }
  if (pointer) return mergeOf(field, { view: field.type, pointer: false });
  return `expected slice or array type, but got: ${schemaName(parent)}`;
}

/** The kind of the type as the reference's messages name it. */
export function schemaName(schema: MergeSchema): string {
  return schema.pointer ? 'ptr' : goKind(schema.view);
}

function mergeOf(field: FieldView, schema: MergeSchema): FieldMerge | string {
  const strategies = field.patchStrategies;
  const others = strategies.filter((strategy) => strategy !== 'retainKeys');
  if (others.length > 1) return `unexpected patch strategy: [${strategies.join(' ')}]`;
  return {
    schema,
    strategy: others[0] as 'merge' | 'replace' | undefined,
    mergeKey: field.patchMergeKey ?? '',
  };
}

function findField(view: TypeView, name: string): FieldView | string {
  const kind = goKind(view);
  if (kind !== 'struct') return `merging an object in json but data type is not struct, instead is: ${kind}`;
  const field = view.kind === 'struct' ? (view.field(name) ?? findFolded(view, name)) : undefined;
  return field ?? `unable to find api field in struct ${structName(view)} for the json field ${quote(name)}`;
}

/** The reference falls back to the first field whose name differs only in case. */
function findFolded(view: StructView, name: string): FieldView | undefined {
  const folded = fold(name);
  for (const field of view.fields()) if (fold(field.name) === folded) return field;
  return undefined;
}

/** Folds ASCII letters, and the two other letters that fold to one. */
function fold(name: string): string {
  return name
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replaceAll('\u212a', 'k')
    .replaceAll('\u017f', 's');
}

const SCALAR_KINDS: Readonly<Record<ScalarType, string>> = {
  string: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  uint32: 'uint32',
  uint64: 'uint64',
  float: 'float32',
  double: 'float64',
  bytes: 'slice',
  quantity: 'struct',
  'int-or-string': 'struct',
  time: 'struct',
  'micro-time': 'struct',
  duration: 'struct',
};

const STRUCT_NAMES: Readonly<Record<string, string>> = {
  quantity: 'Quantity',
  'int-or-string': 'IntOrString',
  time: 'Time',
  'micro-time': 'MicroTime',
  duration: 'Duration',
  json: 'JSON',
  'raw-extension': 'RawExtension',
  'fields-v1': 'FieldsV1',
};

function goKind(view: TypeView): string {
  switch (view.kind) {
    case 'list':
      return 'slice';
    case 'map':
      return 'map';
    case 'scalar':
      return SCALAR_KINDS[view.scalar];
    default:
      return 'struct';
  }
}

function structName(view: TypeView): string {
  switch (view.kind) {
    case 'struct':
      return view.name.slice(view.name.lastIndexOf('.') + 1);
    case 'scalar':
      return STRUCT_NAMES[view.scalar] ?? '';
    case 'any':
      return STRUCT_NAMES[view.raw] ?? '';
    default:
      return '';
  }
}
