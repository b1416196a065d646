/**
 * Names of kinds and resources: group, version, kind or resource, in every combination, with the texts that the reference prints.
 * Invariant: plain readonly data; the core group is the empty string. Parsing never checks syntax beyond its separators.
 */
import { quote } from '../go-format.ts';

/** Whether the objects of a resource live in namespaces. */
export type ResourceScope = 'Namespaced' | 'Cluster';

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

export interface GroupVersionResource extends GroupVersion {
  readonly resource: string;
}

export type ParsedGroupVersion =
  | { readonly ok: true; readonly value: GroupVersion }
  | { readonly ok: false; readonly message: string };

/** Reads `v1` or `apps/v1`; empty text and a lone slash are empty. Fails for more than one slash. */
export function parseGroupVersion(text: string): ParsedGroupVersion {
  if (text === '' || text === '/') return { ok: true, value: { group: '', version: '' } };
  const slash = text.indexOf('/');
  if (slash < 0) return { ok: true, value: { group: '', version: text } };
  if (text.includes('/', slash + 1)) return { ok: false, message: `unexpected GroupVersion string: ${text}` };
  return { ok: true, value: { group: text.slice(0, slash), version: text.slice(slash + 1) } };
}

/** The `apiVersion` of objects: `v1` for the core group, `apps/v1` otherwise. */
export function formatGroupVersion({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The kind that an object's type fields name; a malformed `apiVersion` leaves group and version empty. */
export function gvkOf(apiVersion: string, kind: string): GroupVersionKind {
  const parsed = parseGroupVersion(apiVersion);
  return parsed.ok ? { ...parsed.value, kind } : { group: '', version: '', kind };
}

/** `apps/v1, Kind=Deployment`; the slash stands even for the core group. */
export function formatGvk({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}

/** `Deployment.apps`, or `Pod` in the core group. */
export function formatGroupKind({ group, kind }: GroupKind): string {
  return group === '' ? kind : `${kind}.${group}`;
}

/** `deployments.apps`, or `pods` in the core group. */
export function formatGroupResource({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** The reference's text about a kind that is not registered, without the name of its scheme. */
export function notRegistered(gvk: GroupVersionKind): string {
  return `no kind ${quote(gvk.kind)} is registered for version ${quote(formatGroupVersion(gvk))}`;
}
