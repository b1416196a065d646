/** Custom kinds for requests: a definition, the steps until it is served, and objects of it. */
import { get, patch, post, type Step, type StepOptions } from '../request.ts';
import { DEFINITIONS, definition, type Fields, merged } from './definition-bodies.ts';

export interface CustomKind {
  /** Creates the definition and waits until its objects are served. */
  readonly make: readonly Step[];
  /** The collection in the case's namespace, or one object. */
  at(name?: string, rest?: string, version?: string): string;
  /** The collection or the object of a kind that has no namespaces. */
  cluster(name?: string, rest?: string, version?: string): string;
  /** An object; its metadata is merged with the fields' own. */
  object(name: string, fields?: Fields, version?: string): Fields;
  create(name: string, fields?: Fields, options?: StepOptions & { readonly query?: string }): Step;
  /** A merge patch of the definition. Its answer is not compared: loops are at work. */
  redefine(change: Fields): Step;
  readonly definition: string;
}

/** A version with a schema. */
export function versionWith(openAPIV3Schema: Fields, change: Fields = {}): Fields {
  return { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...change };
}

/** `plural` has to be the case's own: groups and kinds are made of it. */
export function customKind(plural: string, versions: readonly Fields[], spec: Fields = {}): CustomKind {
  const body = definition(plural, { ...spec, versions });
  const group = `${plural}.example.com`;
  const first = String(versions[0]?.['name']);
  const { kind } = (body['spec'] as { names: { kind: string } }).names;
  const tail = (name = '', rest = ''): string => `${plural}${name === '' ? '' : `/${name}`}${rest}`;
  const at = (name?: string, rest?: string, version = first): string =>
    `/apis/${group}/${version}/namespaces/{{ns}}/${tail(name, rest)}`;
  const cluster = (name?: string, rest?: string, version = first): string =>
    `/apis/${group}/${version}/${tail(name, rest)}`;
  const object = (name: string, fields: Fields = {}, version = first): Fields =>
    merged({ apiVersion: `${group}/${version}`, kind, metadata: { name } }, fields);
  return {
    make: [
      post(DEFINITIONS, body, { bodyless: true }),
      ...versions
        .filter(({ served }) => served !== false)
        .map(({ name }) => get(cluster('', '?limit=1', String(name)), { until: 200, bodyless: true })),
    ],
    at,
    cluster,
    object,
    create: (name, fields, { query = '', ...options } = {}) => post(at('', query), object(name, fields), options),
    redefine: (change) => patch('merge', `${DEFINITIONS}/${plural}.${group}`, change, { bodyless: true }),
    definition: `${DEFINITIONS}/${plural}.${group}`,
  };
}

/** One version whose `spec` has these properties. */
export function kindWith(plural: string, properties: Fields, change: Fields = {}): CustomKind {
  return customKind(plural, [versionWith(specOf(properties), change)]);
}

/** A schema whose `spec` has these properties. */
export function specOf(properties: Fields, more: Fields = {}): Fields {
  return {
    type: 'object',
    properties: {
      spec: { type: 'object', properties },
      status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
    ...more,
  };
}
