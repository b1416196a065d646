/**
 * Reduces an OpenAPI v2 document to one group-version: its paths, and the definitions and parameters that they use,
 * directly or indirectly. Definitions of kinds of the group-version are kept even if no path uses them.
 */
import { formatGroupVersion, type GroupVersion } from '../../apimachinery/meta/gvk.ts';
import { objectAt, objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { getField, isJsonObject, type JsonObject, type JsonValue, setField } from '../../base/json-value.ts';

type Section = 'definitions' | 'parameters';

const REFERENCE = /^#\/(definitions|parameters)\/(.*)$/;

export function restrictV2(document: JsonObject, version: GroupVersion): JsonObject {
  const kept = { definitions: {}, parameters: {} };
  /**
   * The values whose references are not followed yet. A list instead of recursion, because references may nest deeply.
   */
  const open: JsonValue[] = [];
  const keep = (section: Section, name: string): void => {
    const value = getField(objectAt(document, section) ?? {}, name);
    if (!isJsonObject(value) || getField(kept[section], name) !== undefined) return;
    setField(kept[section], name, value);
    open.push(value);
  };
  const root = `/apis/${formatGroupVersion(version)}`;
  const paths: JsonObject = {};
  for (const [path, item] of Object.entries(objectAt(document, 'paths') ?? {})) {
    if (!isJsonObject(item) || !`${path}/`.startsWith(`${root}/`)) continue;
    paths[path] = item;
    open.push(item);
  }
  for (const [name, schema] of Object.entries(objectAt(document, 'definitions') ?? {}))
    if (isJsonObject(schema) && isKindOf(schema, version)) keep('definitions', name);
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      const match = key === '$ref' && typeof member === 'string' ? REFERENCE.exec(member) : null;
      if (match !== null) keep(match[1] as Section, match[2] as string);
      else if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
  return { swagger: '2.0', info: objectAt(document, 'info') ?? {}, paths, ...kept };
}

function isKindOf(schema: JsonObject, { group, version }: GroupVersion): boolean {
  return objectsAt(schema, 'x-kubernetes-group-version-kind').some(
    (kind) => textAt(kind, 'group') === group && textAt(kind, 'version') === version,
  );
}
