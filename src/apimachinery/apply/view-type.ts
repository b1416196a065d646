/**
 * Merge types of type views: of built-in kinds and of structural schemas. The rules are those by which the reference
 * makes merge schemas of its OpenAPI documents (kube-openapi `pkg/schemaconv`). A view has one merge type, so its parts
 * are opened once.
 */
import type { FieldView, ListView, ScalarView, StructView, TypeView } from '../type-view.ts';
import {
  DEDUCED,
  freeMap,
  ListType,
  MapType,
  type MergeField,
  MergeType,
  type ScalarKind,
  UNTYPED_ATOMIC,
} from './merge-type.ts';

/** Returns the merge type of a view. */
export function mergeTypeOf(view: TypeView): MergeType {
  return typeOf(view, false);
}

const FREE_OBJECT: MergeType = new MergeType({ map: freeMap(() => DEDUCED) });

const plainTypes = new WeakMap<TypeView, MergeType>();
const preservingTypes = new WeakMap<TypeView, MergeType>();

/** `preserves`: a struct around keeps unknown fields, which extends to everything that is written inside it. */
function typeOf(view: TypeView, preserves: boolean): MergeType {
  const types = preserves ? preservingTypes : plainTypes;
  let type = types.get(view);
  if (type === undefined) {
    type = makeType(view, preserves);
    types.set(view, type);
  }
  return type;
}

function makeType(view: TypeView, preserves: boolean): MergeType {
  switch (view.kind) {
    case 'scalar':
      return scalarType(view);
    case 'struct':
      return new MergeType({ map: structType(view, preserves) });
    case 'map':
      return new MergeType({ map: freeMap(() => typeOf(view.values, preserves), view.atomic) });
    case 'list':
      return new MergeType({
        list: listType(view, { relation: view.listType, keys: view.mapKeys }, preserves),
      });
    case 'any':
      if (view.raw === 'raw-extension') return UNTYPED_ATOMIC;
      return view.raw === 'fields-v1' || view.objectsOnly === true ? FREE_OBJECT : DEDUCED;
  }
}

/**
 * A struct without fields is a free-form object in OpenAPI. Types of other documents (ObjectMeta) are named and do not
 * inherit.
 */
function structType(view: StructView, preserves: boolean): MapType {
  const inherits = (preserves && view.name === '') || view.preserveUnknown;
  return new MapType(view.atomic, () => {
    const fields = new Map(
      Array.from(view.fields(), (field): [string, MergeField] => [
        field.name,
        { type: fieldType(field, inherits), defaultValue: field.defaultValue ?? undefined },
      ]),
    );
    return { fields, values: inherits || fields.size === 0 ? DEDUCED : undefined };
  });
}

/** A list without declarations for apply is merged by its declarations for strategic merge patch. */
function fieldType({ type, patchStrategies, patchMergeKey }: FieldView, preserves: boolean): MergeType {
  if (type.kind !== 'list' || type.declared === true || !patchStrategies.includes('merge'))
    return typeOf(type, preserves);
  const how: Relation =
    patchMergeKey === undefined ? { relation: 'set', keys: [] } : { relation: 'map', keys: [patchMergeKey] };
  return new MergeType({ list: listType(type, how, preserves) });
}

interface Relation {
  readonly relation: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
}

function listType(view: ListView, { relation, keys }: Relation, preserves: boolean): ListType {
  return new ListType({ relation, keys: relation === 'map' ? keys : [], items: () => typeOf(view.items, preserves) });
}

const scalarTypes = new Map<ScalarKind, MergeType>();

function scalarType(view: ScalarView): MergeType {
  const kind = scalarKind(view);
  if (kind === undefined) return DEDUCED;
  let type = scalarTypes.get(kind);
  if (type === undefined) {
    type = new MergeType({ scalar: kind });
    scalarTypes.set(kind, type);
  }
  return type;
}

/** Undefined for types that OpenAPI describes without a type, whose values may be of any kind. */
function scalarKind({ scalar, format = '' }: ScalarView): ScalarKind | undefined {
  switch (scalar) {
    case 'string':
      return format === '' || format === 'byte' ? 'string' : 'untyped';
    case 'bytes':
    case 'duration':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'int-or-string':
      return undefined;
    case 'quantity':
    case 'time':
    case 'micro-time':
      return 'untyped';
    default:
      return 'numeric';
  }
}
