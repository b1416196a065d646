/** CustomResourceDefinitions for requests: a valid one, and changes to it. */
import { post, type Step } from '../request.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** A dry run: nothing is stored, so cases cannot conflict. */
export const DRY: string = `${DEFINITIONS}?dryRun=All`;

/** Merges deeply. Undefined removes the field; lists are replaced. */
export function merged(base: Fields, change: Fields): Fields {
  const out: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(change)) {
    const old = out[key];
    if (value === undefined) delete out[key];
    else out[key] = isFields(value) && isFields(old) ? merged(old, value) : value;
  }
  return out;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A version with a schema that allows everything. */
export function version(name: string, change: Fields = {}): Fields {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return merged({ name, served: true, storage: true, schema }, change);
}

/** Group and kind are made from `plural`, so that definitions of different cases have nothing in common. */
export function definition(plural: string, spec: Fields = {}, rest: Fields = {}): Fields {
  const group = `${plural}.example.com`;
  const kind = plural.charAt(0).toUpperCase() + plural.slice(1);
  const base = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural, kind, listKind: `${kind}List` }, versions: [version('v1')] },
  };
  return merged(merged(base, { spec }), rest);
}

/** One version with these properties below `spec`. */
export function withProperties(plural: string, properties: Fields, change: Fields = {}): Fields {
  return withSchema(plural, { type: 'object', properties: { spec: { type: 'object', properties } } }, change);
}

/** One version with this schema. */
export function withSchema(plural: string, openAPIV3Schema: unknown, change: Fields = {}): Fields {
  const one = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } };
  return definition(plural, { versions: [{ ...one, ...change }] });
}

/** Creates each as a dry run. */
export function tries(bodies: readonly Fields[]): readonly Step[] {
  return bodies.map((body) => post(DRY, body));
}
