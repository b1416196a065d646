/** What a kind of the run is: where it is served, and valid objects of it. Invariant: every variant is one that the reference accepts; a run says so if it is not. */
import type { JsonDict } from '../crds/schema.ts';
import type { Json } from '../diff/normalise.ts';

export interface Variant {
  /** Also the object's name, unless `object.metadata.name` is given. */
  readonly name: string;
  /** Without apiVersion and kind. */
  readonly object: JsonDict;
  /** What a controller would write through the status subresource, valid. */
  readonly status?: JsonDict;
}

/** A request beside those that every kind gets; `{}` in the path is the object's own path. */
export interface Extra {
  readonly title: string;
  readonly method: string;
  /** `{}/scale`, or a whole path; `{ns}` is the subject's namespace. */
  readonly path: string;
  readonly body?: Json;
  readonly type?: string;
  readonly accept?: string;
  /** The name of the variant whose stored object it is about; default the first. */
  readonly variant?: string;
  /** Its body is mutated as well: each mutation is sent as a dry run. */
  readonly mutate?: boolean;
}

/** Something that must be there before; both servers get it, nothing is compared. */
export interface Need {
  /** The collection; `{ns}` is the subject's namespace. */
  readonly path: string;
  readonly object: JsonDict;
}

export interface Subject {
  /** '' is core. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly clusterScoped?: boolean;
  readonly variants: readonly Variant[];
  readonly needs?: readonly Need[];
  /** Asked in order, after the object's status was written and before it is deleted. */
  readonly extras?: readonly Extra[];
  /** Nothing is stored: only POST. Default false. */
  readonly isReview?: boolean;
  /** Objects of it change what others get (default classes, say): runs when nothing else does. Default false. */
  readonly alone?: boolean;
  /** Milliseconds that a loop of the reference gets to write the status of a new object. Default 0. */
  readonly settleMs?: number;
  /** Off unless `--runtime-config` switches it on. Default false. */
  readonly optional?: boolean;
}

export function apiVersionOf({ group, version }: Subject): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `deployments.apps/v1`, `pods/v1`: how a report names it. */
export function nameOf({ group, version, plural }: Subject): string {
  return group === '' ? `${plural}/${version}` : `${plural}.${group}/${version}`;
}

export function namespaceOf({ plural, version }: Subject): string {
  return `k-${plural}-${version}`;
}

export function collectionOf(subject: Subject): string {
  const root = subject.group === '' ? '/api' : `/apis/${subject.group}`;
  const namespace = subject.clusterScoped === true ? '' : `/namespaces/${namespaceOf(subject)}`;
  return `${root}/${subject.version}${namespace}/${subject.plural}`;
}

/** The whole object that is sent. */
export function objectOf(subject: Subject, variant: Variant): JsonDict {
  const { metadata, ...rest } = variant.object;
  return {
    apiVersion: apiVersionOf(subject),
    kind: subject.kind,
    metadata: { name: variant.name, ...((metadata ?? {}) as JsonDict) },
    ...rest,
  };
}
