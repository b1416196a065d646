/**
 * Group, version, kind and resource names, and their texts in the reference's messages. The core group is the empty
 * string. Parsers check separators only.
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

/** Parses `v1` or `apps/v1`. An empty text and a single slash give empty parts. Fails for more than one slash. */
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

/** The kind that an object's type fields name. A malformed `apiVersion` leaves group and version empty. */
export function gvkOf(apiVersion: string, kind: string): GroupVersionKind {
  const parsed = parseGroupVersion(apiVersion);
  return parsed.ok ? { ...parsed.value, kind } : { group: '', version: '', kind };
}

/** `apps/v1, Kind=Deployment`. The slash is printed for the core group too. */
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

/** The reference's message about a kind that is not registered, without the name of its scheme. */
export function notRegistered(gvk: GroupVersionKind): string {
  return `no kind ${quote(gvk.kind)} is registered for version ${quote(formatGroupVersion(gvk))}`;
}
