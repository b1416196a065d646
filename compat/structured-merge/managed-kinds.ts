/**
 * The kinds of the sequences: their types, how objects are normalized and converted, and generators of their fields.
 */
import type { MergeType } from '../../src/apimachinery/apply/merge-type.ts';
import { mergeTypeOf } from '../../src/apimachinery/apply/view-type.ts';
import { normalizeTyped } from '../../src/apimachinery/codec/typed-normalize.ts';
import { fieldSetOf } from '../../src/apimachinery/field-set/field-set.ts';
import { excludeFilter } from '../../src/apimachinery/field-set/set-filter.ts';
import { FieldManager } from '../../src/apimachinery/managed-fields/field-manager.ts';
import { newObjectOf } from '../../src/apimachinery/managed-fields/new-object.ts';
import { formatGroupVersion } from '../../src/apimachinery/meta/gvk.ts';
import type { StructView } from '../../src/apimachinery/type-view.ts';
import { cloneJson, isJsonObject, type JsonObject } from '../../src/base/json-value.ts';
import { kindView } from '../../src/kinds/views.ts';
import { parseStructural } from '../../src/schema/structural/parse-structural.ts';
import { viewOf } from '../../src/schema/view.ts';
import { objectMetaView } from '../../src/server/resource/schema/object-metadata-form.ts';
import { GROUP, KIND, SCHEMAS } from './definition.ts';

export interface ManagedKind {
  readonly group: string;
  readonly kind: string;
  readonly custom: boolean;
  readonly versions: readonly string[];
  typeAt(apiVersion: string): MergeType | undefined;
  /** As the reference decodes it; a text if it cannot. */
  normalize(object: JsonObject): JsonObject | string;
  convert(object: JsonObject, apiVersion: string): JsonObject;
}

export function builtinKind(group: string, version: string, kind: string): ManagedKind {
  const view = kindView(group, version, kind);
  const apiVersion = formatGroupVersion({ group, version });
  return {
    group,
    kind,
    custom: false,
    versions: [version],
    typeAt: (wanted) => (wanted === apiVersion ? mergeTypeOf(view) : undefined),
    normalize: (object) => {
      const normalized = normalizeTyped(object, view);
      return normalized.ok ? { ...normalized.object, apiVersion, kind } : normalized.message;
    },
    convert: (object) => object,
  };
}

const COUNTERS: Readonly<Record<string, string>> = { v1: 'size', v2: 'count' };

export const customViews: ReadonlyMap<string, StructView> = new Map(
  Array.from(SCHEMAS, ([version, schema]) => {
    const parsed = parseStructural(schema);
    if (!parsed.ok) throw new Error('the schema of the sample is not structural');
    return [`${GROUP}/${version}`, viewOf(parsed.schema, { objectMeta: objectMetaView() })];
  }),
);

export const customKind: ManagedKind = {
  group: GROUP,
  kind: KIND,
  custom: true,
  versions: ['v1', 'v2'],
  typeAt: (apiVersion) => {
    const view = customViews.get(apiVersion);
    return view === undefined ? undefined : mergeTypeOf(view);
  },
  normalize: (object) => object,
  convert: (object, apiVersion) => {
    const from = COUNTERS[(object['apiVersion'] as string).split('/')[1] as string] as string;
    const to = COUNTERS[apiVersion.split('/')[1] as string] as string;
    const copy: JsonObject = cloneJson({ ...object, apiVersion });
    const { spec } = copy;
    if (isJsonObject(spec) && from !== to && from in spec) {
      spec[to] = spec[from] as never;
      delete spec[from];
    }
    return copy;
  },
};

export const KINDS: readonly ManagedKind[] = [
  customKind,
  builtinKind('', 'v1', 'ConfigMap'),
  builtinKind('', 'v1', 'Service'),
  builtinKind('', 'v1', 'Pod'),
  builtinKind('apps', 'v1', 'Deployment'),
  customKind,
  builtinKind('networking.k8s.io', 'v1', 'Ingress'),
];

const managers = new Map<string, FieldManager>();

export function fieldManagerOf(kind: ManagedKind, version: string, subresource: string): FieldManager {
  const key = `${kind.kind}/${version}/${subresource}`;
  let manager = managers.get(key);
  if (manager === undefined) {
    const reset = excludeFilter(fieldSetOf([subresource === 'status' ? 'spec' : 'status']));
    const apiVersion = formatGroupVersion({ group: kind.group, version });
    const gvk = { group: kind.group, version, kind: kind.kind };
    const empty = kind.custom
      ? { apiVersion, kind: kind.kind }
      : newObjectOf(kindView(kind.group, version, kind.kind), gvk);
    manager = new FieldManager({
      kind: gvk,
      subresource,
      versions: { typeAt: kind.typeAt, convert: kind.convert },
      resetFields: new Map(
        [...kind.versions].map((name) => [formatGroupVersion({ group: kind.group, version: name }), reset]),
      ),
      decodedObjects: !kind.custom,
      newObject: () => empty,
    });
    managers.set(key, manager);
  }
  return manager;
}
