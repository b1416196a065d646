/**
 * A kind of the run: its path and valid objects of it. Invariant: the reference accepts every variant; the run reports
 * one that it does not.
 */
import type { JsonDict } from '../crds/schema.ts';
import type { Json } from '../diff/normalise.ts';

export interface Variant {
  /** Also the name of the object, unless `object.metadata.name` is given. */
  readonly name: string;
  /** Without apiVersion and kind. */
  readonly object: JsonDict;
  /** A valid status, as a controller would write it. */
  readonly status?: JsonDict;
}

/** A request in addition to those that every kind gets. `{}` in the path is the path of the object. */
export interface Extra {
  readonly title: string;
  readonly method: string;
  /** `{}/scale`, or a whole path; `{ns}` is the subject's namespace. */
  readonly path: string;
  readonly body?: Json;
  readonly type?: string;
  readonly accept?: string;
  /** The name of the variant whose stored object it is about. Default: the first. */
  readonly variant?: string;
  /** Its body is mutated as well, and each mutation is sent as a dry run. */
  readonly mutate?: boolean;
}

/** An object that must exist before. Both servers get it, and nothing is compared. */
export interface Need {
  /** The collection; `{ns}` is the subject's namespace. */
  readonly path: string;
  readonly object: JsonDict;
}

export interface Subject {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly clusterScoped?: boolean;
  readonly variants: readonly Variant[];
  readonly needs?: readonly Need[];
  /** Sent in order, after the status was written and before the object is deleted. */
  readonly extras?: readonly Extra[];
  /** Nothing is stored: only POST. Default false. */
  readonly isReview?: boolean;
  /** Its objects affect other kinds (such as default classes), so it runs alone. Default false. */
  readonly alone?: boolean;
  /** The time in milliseconds that a loop of the reference gets to write the status of a new object. Default 0. */
  readonly settleMs?: number;
  /** Served only if `--runtime-config` enables it. Default false. */
  readonly optional?: boolean;
}

export function apiVersionOf({ group, version }: Subject): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The name in reports: `deployments.apps/v1`, `pods/v1`. */
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

/** Returns the whole object that is sent. */
export function objectOf(subject: Subject, variant: Variant): JsonDict {
  const { metadata, ...rest } = variant.object;
  return {
    apiVersion: apiVersionOf(subject),
    kind: subject.kind,
    metadata: { name: variant.name, ...((metadata ?? {}) as JsonDict) },
    ...rest,
  };
}
