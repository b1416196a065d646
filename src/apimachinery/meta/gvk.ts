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

/** `apps/v1, Resource=deployments`; the slash stands even for the core group. */
export function formatGvr({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}, Resource=${resource}`;
}

/** `Deployment.apps`, or `Pod` in the core group. */
export function formatGroupKind({ group, kind }: GroupKind): string {
  return group === '' ? kind : `${kind}.${group}`;
}

/** `deployments.apps`, or `pods` in the core group. */
export function formatGroupResource({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** Reads `Kind.group`, split at the first dot. */
export function parseGroupKind(text: string): GroupKind {
  const [kind, group] = splitAtDot(text);
  return { group, kind };
}

/** Reads `resource.group`, split at the first dot. */
export function parseGroupResource(text: string): GroupResource {
  const [resource, group] = splitAtDot(text);
  return { group, resource };
}

/** A command-line argument read both ways: `resource.version.group` if it has two dots, and always `resource.group`. */
export function parseResourceArg(text: string): {
  readonly gvr: GroupVersionResource | undefined;
  readonly groupResource: GroupResource;
} {
  const groupResource = parseGroupResource(text);
  if (!groupResource.group.includes('.')) return { gvr: undefined, groupResource };
  const [version, group] = splitAtDot(groupResource.group);
  return { gvr: { group, version, resource: groupResource.resource }, groupResource };
}

/** A command-line argument read both ways: `Kind.version.group` if it has two dots, and always `Kind.group`. */
export function parseKindArg(text: string): {
  readonly gvk: GroupVersionKind | undefined;
  readonly groupKind: GroupKind;
} {
  const groupKind = parseGroupKind(text);
  if (!groupKind.group.includes('.')) return { gvk: undefined, groupKind };
  const [version, group] = splitAtDot(groupKind.group);
  return { gvk: { group, version, kind: groupKind.kind }, groupKind };
}

export function equalGvk(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.kind === b.kind && a.version === b.version && a.group === b.group;
}

export function equalGvr(a: GroupVersionResource, b: GroupVersionResource): boolean {
  return a.resource === b.resource && a.version === b.version && a.group === b.group;
}

/** The reference's text about a kind that is not registered, without the name of its scheme. */
export function notRegistered(gvk: GroupVersionKind): string {
  return `no kind ${quote(gvk.kind)} is registered for version ${quote(formatGroupVersion(gvk))}`;
}

function splitAtDot(text: string): [head: string, tail: string] {
  const dot = text.indexOf('.');
  return dot < 0 ? [text, ''] : [text.slice(0, dot), text.slice(dot + 1)];
}
