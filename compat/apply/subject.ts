/** A kind of the sequences: its paths, a valid object of it, and generators of parts of objects. */
import type { JsonObject } from '../../src/base/json-value.ts';
import type { Make } from '../common/random-json.ts';

export interface Subject {
  /** '' for the core group. */
  readonly group: string;
  /** Every version is served. Steps choose among them. */
  readonly versions: readonly string[];
  readonly plural: string;
  readonly kind: string;
  readonly clusterScoped?: boolean;
  /** A valid object, without apiVersion, kind and metadata. Parts are laid over it. */
  readonly base: JsonObject;
  /** Makes some of the fields that clients write: `spec`, `data` and so on. */
  part(version: string): Make;
  /** Makes some of the fields of `/status`. Undefined: the kind has no such subresource. */
  readonly status?: Make;
  /** The kind has `/scale`. Default false. */
  readonly scale?: boolean;
  readonly custom?: boolean;
  /** The reference writes the first update of a new object even if it changes nothing. Default false. */
  readonly isRewritten?: boolean;
}

/** The namespace of all objects. */
export const NAMESPACE = 'apply';

export function nameOf({ plural, group }: Subject): string {
  return group === '' ? plural : `${plural}.${group}`;
}

export function apiVersionOf({ group }: Subject, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

export function collectionOf(subject: Subject, version: string): string {
  const root = subject.group === '' ? '/api' : `/apis/${subject.group}`;
  const namespace = subject.clusterScoped === true ? '' : `/namespaces/${NAMESPACE}`;
  return `${root}/${version}${namespace}/${subject.plural}`;
}
