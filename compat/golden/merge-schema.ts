/**
 * The schema by which client-go's apply configurations merge, compared with our tables: the types of fields, the merge
 * of lists and maps, keys, defaults. Invariant: every type that both have is compared field by field.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readYaml } from '../../src/apimachinery/codec/yaml/yaml.ts';
import type { FieldView, ScalarType, StructView, TypeView } from '../../src/apimachinery/type-view.ts';
import { BugError } from '../../src/base/errors.ts';
import { equalJson, type JsonArray, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import { typeName, viewOfTypeName } from '../../src/kinds/views.ts';

export interface MergeComparison {
  readonly types: number;
  readonly fields: number;
  readonly differences: readonly string[];
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const NAMED: Partial<Record<ScalarType | 'fields-v1', string>> = {
  time: `${META}.Time`,
  'micro-time': `${META}.MicroTime`,
  duration: `${META}.Duration`,
  'fields-v1': `${META}.FieldsV1`,
  quantity: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  'int-or-string': 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
};

export function compareMergeSchema(source: string): MergeComparison {
  const client = 'k8s.io/client-go';
  execFileSync('go', ['mod', 'download', client], { cwd: source });
  const root = execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', client], { cwd: source, encoding: 'utf8' }).trim();
  const text = readFileSync(join(root, 'applyconfigurations', 'internal', 'internal.go'), 'utf8');
  const yaml = readYaml(text.slice(text.indexOf('`') + 1, text.lastIndexOf('`')));
  if (!yaml.ok) throw new Error(yaml.error.message);
  let [types, fields] = [0, 0];
  const differences: string[] = [];
  for (const type of (yaml.value as JsonObject)['types'] as JsonObject[]) {
    const name = type['name'] as string;
    const view = findView(name);
    const theirs = (type['map'] as JsonObject | undefined)?.['fields'] as JsonObject[] | undefined;
    if (view === undefined || theirs === undefined) continue;
    types++;
    const ours = new Map(Array.from(view.fields(), (field) => [field.name, describeField(field)]));
    fields += ours.size;
    for (const field of theirs) {
      const key = field['name'] as string;
      const mine = ours.get(key) ?? null;
      ours.delete(key);
      if (!equalJson(mine, field))
        differences.push(`${name}.${key}: ${writeJson(mine)} instead of ${writeJson(field)}`);
    }
    for (const key of ours.keys()) differences.push(`${name}.${key}: not in the schema`);
    const relation = (type['map'] as JsonObject)['elementRelationship'] ?? null;
    if ((relation === 'atomic') !== view.atomic) differences.push(`${name}: ${writeJson(relation)}`);
  }
  return { types, fields, differences };
}

function findView(name: string): StructView | undefined {
  try {
    return viewOfTypeName(name);
  } catch (error) {
    if (error instanceof BugError) return undefined;
    throw error;
  }
}

function describeField({ name, type, defaultValue }: FieldView): JsonObject {
  return {
    name,
    type: describe(type),
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
  };
}

function describe(type: TypeView): JsonObject {
  switch (type.kind) {
    case 'scalar':
      return describeScalar(type.scalar);
    case 'any':
      return { namedType: (type.raw === 'fields-v1' ? NAMED[type.raw] : undefined) ?? '__untyped_atomic_' };
    case 'struct': {
      const name = typeName(type) ?? '';
      const isSaidHere = type.atomic !== findView(name)?.atomic;
      return { namedType: name, ...(isSaidHere ? { elementRelationship: type.atomic ? 'atomic' : 'separable' } : {}) };
    }
    case 'map': {
      const relation = type.atomic ? 'atomic' : type.declared === true ? 'separable' : undefined;
      const map = { elementType: describe(type.values) };
      return { map: relation === undefined ? map : { ...map, elementRelationship: relation } };
    }
    case 'list': {
      const keys: JsonArray = [...type.mapKeys];
      const relation = type.listType === 'atomic' ? 'atomic' : 'associative';
      const list: Record<string, JsonValue> = { elementType: describe(type.items), elementRelationship: relation };
      return { list: keys.length === 0 ? list : { ...list, keys } };
    }
  }
}

function describeScalar(scalar: ScalarType): JsonObject {
  const named = NAMED[scalar];
  if (named !== undefined) return { namedType: named };
  if (scalar === 'string' || scalar === 'bytes') return { scalar: 'string' };
  return { scalar: scalar === 'boolean' ? 'boolean' : 'numeric' };
}
