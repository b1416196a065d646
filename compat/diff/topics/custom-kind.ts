/** Custom kinds for requests: a definition, the steps until it is served, and its objects. */
import { get, patch, post, type Step, type StepOptions } from '../request.ts';
import { DEFINITIONS, definition, type Fields, merged } from './definition-bodies.ts';

export interface CustomKind {
  /** Creates the definition and waits until its objects are served. */
  readonly make: readonly Step[];
  /** Returns the path of the collection in the case's namespace, or of one object. */
  at(name?: string, rest?: string, version?: string): string;
  /** Returns the path of the collection or object of a cluster-scoped kind. */
  cluster(name?: string, rest?: string, version?: string): string;
  /** Returns an object. Its metadata is merged with that in `fields`. */
  object(name: string, fields?: Fields, version?: string): Fields;
  create(name: string, fields?: Fields, options?: StepOptions & { readonly query?: string }): Step;
  /** A merge patch of the definition. The answer is not compared, because loops write at the same time. */
  redefine(change: Fields): Step;
  readonly definition: string;
}

/** A version with a schema. */
export function versionWith(openAPIV3Schema: Fields, change: Fields = {}): Fields {
  return { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...change };
}

/** `plural` must be unique to the case: group and kind are made from it. */
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

/** A kind with one version whose `spec` has these properties. */
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
