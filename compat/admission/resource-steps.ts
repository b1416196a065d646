/**
 * The requests of one resource: one for each verb of the resource and of its subresources in discovery, such that each
 * reaches admission.
 */
import type { JsonDict } from '../crds/schema.ts';
import type { Step } from '../diff/request.ts';
import { collectionOf, objectOf, type Subject, type Variant } from '../kinds/subject.ts';

/** A resource or subresource of discovery. */
export interface DiscoveredResource {
  /** `pods`, `pods/exec`. */
  readonly name: string;
  readonly verbs: readonly string[];
}

export interface ResourceStep extends Step {
  /** The path that the body is read from. */
  readonly updates?: string;
  /** The path of the object that the request changes. */
  readonly object?: string;
}

const LABELS = { walk: 'yes' } as const;
const MERGE = 'application/merge-patch+json';
/** The verbs of discovery and the methods of their requests, for subresources that connect. */
const METHODS = [
  ['create', 'POST'],
  ['get', 'GET'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
] as const;
/** Subresources that connect, with the rest of the path. */
const CONNECTS: Readonly<Record<string, string>> = {
  exec: '/exec?command=ls&stdout=true',
  attach: '/attach?stdout=true',
  portforward: '/portforward?ports=80',
  proxy: '/proxy/some/path?a=b',
};

/** The objects of subresources that are created. */
const CREATED: Readonly<Record<string, (name: string) => JsonDict>> = {
  binding: (name) => ({ apiVersion: 'v1', kind: 'Binding', metadata: { name }, target: { kind: 'Node', name: 'n' } }),
  eviction: (name) => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } }),
  token: () => ({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: ['a'] } }),
};

/** Returns the object of the subject with the label of the walk. */
function labelled(subject: Subject, variant: Variant): JsonDict {
  const object = objectOf(subject, variant);
  return { ...object, metadata: { ...(object['metadata'] as JsonDict), labels: LABELS } };
}

/** Returns the requests of a resource. Throws if the suite has no object of a subresource that is created. */
export function resourceSteps(
  subject: Subject,
  verbs: readonly string[],
  subresources: readonly DiscoveredResource[],
): ResourceStep[] {
  const variant = subject.variants[0] as Variant;
  const body = labelled(subject, variant);
  const collection = collectionOf(subject);
  const create: Step = { method: 'POST', path: collection, body };
  if (subject.isReview === true) return [create];
  const name = String((body['metadata'] as JsonDict)['name']);
  const path = `${collection}/${name}`;
  const has = (verb: string): boolean => verbs.includes(verb);
  const patch = (to: string, label: string): Step => ({
    method: 'PATCH',
    path: to,
    type: MERGE,
    body: { metadata: { labels: { patched: label } } },
  });
  const onObject: ResourceStep[] = [
    ...(has('update') ? [{ method: 'PUT', path, updates: path }] : []),
    ...(has('patch') ? [patch(path, 'a'), patch(`${path}?dryRun=All`, 'b')] : []),
    ...subresources.flatMap((one) => subresourceSteps(one, path, name, patch)),
    ...(has('delete')
      ? [
          { method: 'DELETE', path: `${path}?dryRun=All` },
          { method: 'DELETE', path, body: { propagationPolicy: 'Background', gracePeriodSeconds: 0 } },
        ]
      : []),
  ];
  return [
    ...(has('create') ? [{ ...create, path: `${collection}?dryRun=All&fieldManager=walk` }, create] : []),
    ...onObject.map((step) => ({ ...step, object: path })),
    ...(has('deletecollection')
      ? [create, { method: 'DELETE', path: `${collection}?labelSelector=walk%3Dyes&gracePeriodSeconds=0` }]
      : []),
  ];
}

function subresourceSteps(
  { name: full, verbs }: DiscoveredResource,
  path: string,
  name: string,
  patch: (to: string, label: string) => Step,
): ResourceStep[] {
  const subresource = full.slice(full.indexOf('/') + 1);
  const connect = CONNECTS[subresource];
  if (connect !== undefined)
    return METHODS.filter(([verb]) => verbs.includes(verb)).map(([, method]) => ({ method, path: path + connect }));
  const to = `${path}/${subresource}`;
  const steps: ResourceStep[] = [];
  if (verbs.includes('create')) {
    const created = CREATED[subresource];
    if (created === undefined) throw new Error(`the suite has no object for ${full}`);
    steps.push({ method: 'POST', path: `${to}?dryRun=All`, body: created(name) });
  }
  if (verbs.includes('update')) steps.push({ method: 'PUT', path: to, updates: verbs.includes('get') ? to : path });
  if (verbs.includes('patch')) steps.push(patch(to, subresource));
  return steps;
}
