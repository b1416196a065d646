/**
 * The version factory of kinds whose Go type is known. Invariant: declaring a version does not load its type. `view` is
 * called when the type is first used, so startup time does not grow with the number of kinds.
 */
import { dropEmptyLists } from '../../apimachinery/codec/drop-empty-lists.ts';
import { normalizeTyped } from '../../apimachinery/codec/typed-normalize.ts';
import { orderFields } from '../../apimachinery/codec/typed-order.ts';
import type { StructView } from '../../apimachinery/type-view.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { TableDefinition, VersionDefinition } from './version-definition.ts';

export interface TypedVersionOptions {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Returns the type. Called on every use, so it must return the same view each time without much work. */
  readonly view: () => StructView;
  /** See VersionDefinition. Default: the version has no defaults. */
  readonly setDefaults?: (object: JsonObject) => void;
  /** Default: the columns Name and Age. */
  readonly table?: () => TableDefinition;
  /** The field selectors in addition to metadata.name and metadata.namespace. Default none. */
  readonly selectableFields?: readonly string[];
  /** See VersionDefinition. */
  readonly fieldSources?: NonNullable<VersionDefinition['fieldSources']>;
  /** Whether strategic merge patches are allowed. Default true. */
  readonly strategicMerge?: boolean;
  /**
   * Whether the reference stores the kind in its binary form, which drops empty lists. False for reviews, which are
   * never stored, and for kinds that are stored as JSON. Default true.
   */
  readonly stored?: boolean;
}

/** Makes one version of a kind from its type. Bodies and answers of the version may be protobuf. */
export function typedVersion(options: TypedVersionOptions): VersionDefinition {
  const { group, version, kind, view, setDefaults, table, fieldSources } = options;
  const form = options.stored === false ? 'decoded' : 'stored';
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    type: view,
    strategicMerge: options.strategicMerge ?? true,
    protobuf: true,
    normalize: (object, keepsEmptyLists = false) =>
      normalizeTyped(object, view(), keepsEmptyLists && form === 'stored' ? 'tracked' : form),
    ...(form === 'stored' ? { dropEmptyLists: (object) => dropEmptyLists(object, view()) } : undefined),
    ...(setDefaults === undefined ? undefined : { setDefaults }),
    ...(table === undefined ? undefined : { table }),
    selectableFields: options.selectableFields ?? [],
    ...(fieldSources === undefined ? undefined : { fieldSources }),
    deprecationWarning: '',
  };
}

/** Returns a function that sets the defaults and then puts the fields into the order of the type. */
export function orderedDefaults(
  setDefaults: (object: JsonObject) => void,
  view: () => StructView,
): (object: JsonObject) => void {
  return (object) => {
    setDefaults(object);
    orderFields(object, view());
  };
}
