/**
 * The options of a connection as an object, such as PodExecOptions: the query parameters in the types of its fields.
 * Admission sees it as the object of the request.
 */
import type { QueryParams } from '../../apimachinery/meta/query.ts';
import type { FieldView, TypeView } from '../../apimachinery/type-view.ts';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';

/**
 * Returns the options. `path` is the path after the subresource, '' if there is none. A parameter whose value does not
 * fit its field is omitted.
 */
export function connectOptionsObject(version: VersionDefinition, params: QueryParams, path: string): JsonObject {
  const { group, version: name, kind } = version;
  const options: JsonObject = { kind, apiVersion: group === '' ? name : `${group}/${name}` };
  for (const field of version.type().fields()) {
    const values = field.name === 'path' ? pathValues(path) : params.get(field.name);
    const value = values === undefined ? undefined : fieldValue(field, values);
    if (value !== undefined && field.name !== 'kind' && field.name !== 'apiVersion') options[field.name] = value;
  }
  return options;
}

/** Returns the values of the field `path`: the path with a leading slash, as in kube-apiserver. */
function pathValues(path: string): readonly string[] | undefined {
  return path === '' ? undefined : [`/${path}`];
}

/** Returns undefined for the zero value, which the object omits. */
function fieldValue({ type }: FieldView, values: readonly string[]): JsonValue | undefined {
  if (type.kind !== 'list') return scalarValue(type, values[0] ?? '');
  const items = values.map((value) => scalarValue(type.items, value)).filter((value) => value !== undefined);
  return items.length === 0 ? undefined : items;
}

function scalarValue(type: TypeView, text: string): JsonValue | undefined {
  if (type.kind !== 'scalar') return undefined;
  if (type.scalar === 'boolean') return text === '0' || text.toLowerCase() === 'false' ? undefined : true;
  if (type.scalar === 'string') return text === '' ? undefined : text;
  const number = Number(text);
  return Number.isSafeInteger(number) && number !== 0 ? number : undefined;
}
