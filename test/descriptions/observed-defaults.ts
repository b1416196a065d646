/**
 * The defaults that the built-in kinds set, observed: each kind gets an object whose structures exist and whose scalars
 * do not, and the scalars that its defaulting adds are collected by type and field.
 */
import type { StructView, TypeView } from '../../src/apimachinery/type-view.ts';
import type { JsonObject, JsonValue } from '../../src/base/json-value.ts';
import { VirtualClock } from '../../src/base/virtual-clock.ts';
import { typeName } from '../../src/kinds/views.ts';
import { kubeResources } from '../../src/kube/resources.ts';

/** The observed values by `<OpenAPI type>.<field>`, as JSON texts. */
export function observedDefaults(): ReadonlyMap<string, ReadonlySet<string>> {
  const observed = new Map<string, Set<string>>();
  for (const { definition } of kubeResources(anything() as never)) {
    for (const version of definition.versions) {
      for (const isFull of [false, true]) {
        const object = build(version.type(), isFull, []);
        version.setDefaults?.(object);
        collect(version.type(), object, build(version.type(), isFull, []), observed);
      }
    }
  }
  return observed;
}

/** A stand-in for the server parts that declarations mention but that defaulting does not use. */
function anything(): unknown {
  const known: Readonly<Record<string | symbol, unknown>> = { others: [], clock: new VirtualClock(0) };
  return new Proxy(() => undefined, { get: (_, key) => known[key] ?? anything(), apply: () => anything() });
}

/** `isFull` adds optional structures too. A type that contains itself is added once. */
function build(view: StructView, isFull: boolean, around: readonly StructView[]): JsonObject {
  const object: JsonObject = {};
  for (const field of view.fields()) {
    const isWanted = isFull || field.required || field.name === 'spec';
    const value = isWanted ? buildValue(field.type, isFull, [...around, view]) : undefined;
    if (value !== undefined && field.name !== 'metadata') object[field.name] = value;
  }
  return object;
}

function buildValue(type: TypeView, isFull: boolean, around: readonly StructView[]): JsonValue | undefined {
  if (type.kind === 'struct') return around.includes(type) ? undefined : build(type, isFull, around);
  if (type.kind !== 'list') return undefined;
  const item = buildValue(type.items, isFull, around);
  return item === undefined ? undefined : [item];
}

function collect(view: StructView, after: JsonObject, before: JsonObject, into: Map<string, Set<string>>): void {
  for (const field of view.fields()) {
    const value = after[field.name];
    if (value === undefined) continue;
    const old = before[field.name];
    if (field.type.kind === 'struct') collect(field.type, value as JsonObject, (old ?? {}) as JsonObject, into);
    else if (field.type.kind === 'list' && field.type.items.kind === 'struct')
      collectItems(field.type.items, value as JsonObject[], (old ?? []) as JsonObject[], into);
    else if (old === undefined) {
      const key = `${typeName(view)}.${field.name}`;
      const values = into.get(key) ?? new Set();
      into.set(key, values.add(JSON.stringify(value)));
    }
  }
}

function collectItems(
  view: StructView,
  after: readonly JsonObject[],
  before: readonly JsonObject[],
  into: Map<string, Set<string>>,
): void {
  for (const [index, item] of after.entries()) collect(view, item, before[index] ?? {}, into);
}
