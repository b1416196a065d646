/** The parts of CRDs and their schemas that this suite reads. Mutators copy them first. */
import type { Json } from '../diff/normalise.ts';

export type JsonDict = { [key: string]: Json };

export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly Json[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly nullable?: boolean;
  readonly default?: Json;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string }[];
}

export interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema?: { readonly openAPIV3Schema?: Schema };
  readonly subresources?: { readonly status?: object; readonly scale?: object };
}

export interface Definition {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly Version[];
  };
}

/** One step into an object: a field or an index. */
export type Step = string | number;

export function isDict(value: Json | undefined): value is JsonDict {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the schema of a property, an additional property or an item; undefined if there is none. */
export function schemaOf(schema: Schema | undefined, step: Step): Schema | undefined {
  if (schema === undefined) return undefined;
  if (typeof step === 'number') return schema.items;
  const { additionalProperties } = schema;
  return schema.properties?.[step] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
}

/**
 * Parses a path such as `spec.rules[0].host`, as in the causes of a Status. Map keys with other characters are in
 * brackets.
 */
export function parseField(field: string): Step[] {
  return [...field.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, inner, name]) => {
    if (inner === undefined) return name as string;
    return /^\d+$/.test(inner) ? Number(inner) : inner;
  });
}

export function getAt(value: Json, path: readonly Step[]): Json | undefined {
  return path.reduce<Json | undefined>((node, step) => {
    if (Array.isArray(node)) return typeof step === 'number' ? node[step] : undefined;
    return isDict(node) ? node[step] : undefined;
  }, value);
}

/**
 * Returns a deep copy with the value at the path replaced, or removed if it is undefined. Returns the value unchanged
 * if the path does not exist.
 */
export function withAt(value: Json, path: readonly Step[], replacement: Json | undefined): Json {
  const copy = structuredClone(value);
  const last = path.at(-1);
  if (last === undefined) return replacement ?? copy;
  const parent = getAt(copy, path.slice(0, -1));
  if (Array.isArray(parent) && typeof last === 'number') {
    if (replacement === undefined) parent.splice(last, 1);
    else parent[last] = replacement;
  } else if (isDict(parent)) {
    if (replacement === undefined) delete parent[last];
    else parent[String(last)] = replacement;
  }
  return copy;
}
