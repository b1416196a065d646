/**
 * The parts of the merge of OpenAPI v2 documents: which definitions and parameters are the same, how the others are
 * renamed. The names follow kube-openapi/pkg/aggregator.
 */
import type { GroupVersionKind } from '../../apimachinery/meta/gvk.ts';
import { objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';

const KINDS = 'x-kubernetes-group-version-kind';

/** Returns the members of a section that are objects. */
export function membersOf(document: JsonObject, section: string): [name: string, value: JsonObject][] {
  const members = document[section];
  if (!isJsonObject(members)) return [];
  return Object.entries(members).filter((member): member is [string, JsonObject] => isJsonObject(member[1]));
}

/**
 * Returns the new names of the members whose name is taken by another value. `known` returns the value of a name in the
 * document that is merged into, in the form that `comparable` makes of a member.
 */
export function newNames(
  members: readonly (readonly [name: string, value: JsonObject])[],
  known: (name: string) => JsonValue | undefined,
  comparable: (value: JsonObject) => JsonValue,
): ReadonlyMap<string, string> {
  const own = new Set(members.map(([name]) => name));
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const [name, value] of members) {
    const existing = known(name);
    if (existing === undefined) continue;
    const form = comparable(value);
    if (equalJson(existing, form)) continue;
    let next = name;
    for (let i = 2; ; i++) {
      next = `${name}_v${i}`;
      const other = known(next);
      if (other === undefined ? !taken.has(next) && !own.has(next) : equalJson(other, form)) break;
    }
    taken.add(next);
    names.set(name, next);
  }
  return names;
}

export interface Renames {
  readonly definitions: ReadonlyMap<string, string>;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Returns a copy in which the references to renamed definitions and parameters are replaced. */
export function renameReferences<T extends JsonValue>(value: T, renames: Renames): T {
  if (renames.definitions.size === 0 && renames.parameters.size === 0) return value;
  return renamed(value, renames) as T;
}

function renamed(value: JsonValue, renames: Renames): JsonValue {
  if (Array.isArray(value)) return value.map((item) => renamed(item, renames));
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    copy[key] = key === '$ref' && typeof member === 'string' ? newReference(member, renames) : renamed(member, renames);
  }
  return copy;
}

function newReference(reference: string, { definitions, parameters }: Renames): string {
  const [, section, name = ''] = /^#\/(definitions|parameters)\/(.*)$/.exec(reference) ?? [];
  if (section === undefined) return reference;
  const next = (section === 'definitions' ? definitions : parameters).get(name);
  return next === undefined ? reference : `#/${section}/${next}`;
}

/** Returns the kinds whose type a definition is. */
export function kindsOf(schema: JsonObject): readonly GroupVersionKind[] {
  return objectsAt(schema, KINDS).map((kind) => ({
    group: textAt(kind, 'group'),
    version: textAt(kind, 'version'),
    kind: textAt(kind, 'kind'),
  }));
}

export function withoutKindsOf(schema: JsonObject): JsonObject {
  const { [KINDS]: _, ...rest } = schema;
  return rest;
}

/**
 * Returns a schema without its kinds and without descriptions. Documents of several servers describe the types of
 * meta/v1 in other words, but mean the same types.
 */
export function comparableSchema(schema: JsonObject): JsonObject {
  return withoutDescriptions(withoutKindsOf(schema));
}

function withoutDescriptions(schema: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined || key === 'description') continue;
    if (key === 'properties' && isJsonObject(value))
      copy[key] = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, subschema(member)]));
    else if (key === 'items' || key === 'additionalProperties') copy[key] = subschema(value);
    else if (key === 'allOf' && Array.isArray(value)) copy[key] = value.map(subschema);
    else copy[key] = value;
  }
  return copy;
}

function subschema(value: JsonValue | undefined): JsonValue {
  return isJsonObject(value) ? withoutDescriptions(value) : (value ?? {});
}
