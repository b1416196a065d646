/**
 * Bootstrap objects that start as a copy of an older object: former releases granted the same permissions through that
 * older object, so its changes by an administrator must stay in effect. The reference calls it priming
 * (pkg/registry/rbac/rest/storage_rbac.go).
 */
import { type ClusterRole, type ClusterRoleBinding, nameOf } from '../policy.ts';

/** New roles by the role whose rules they took over when that one became aggregated. */
const AGGREGATED_FROM: Readonly<Record<string, string>> = {
  'system:aggregate-to-admin': 'admin',
  'system:aggregate-to-edit': 'edit',
  'system:aggregate-to-view': 'view',
};

/** New bindings by the binding that they were split from. */
const SPLIT_FROM: Readonly<Record<string, string>> = { 'system:public-info-viewer': 'system:discovery' };

/**
 * Called for a role that is not stored. Returns a copy of the role that it was made from, under its own name; undefined
 * if that one is not stored, is aggregated already, or if the role was not made from another.
 */
export function inheritedRole(
  expected: ClusterRole,
  stored: (name: string) => ClusterRole | undefined,
): ClusterRole | undefined {
  const source = sourceOf(AGGREGATED_FROM, expected, stored);
  if (source === undefined || (source.aggregationRule ?? undefined) !== undefined) return undefined;
  const { uid, resourceVersion, creationTimestamp, managedFields, ...metadata } = source.metadata ?? {};
  return { ...source, metadata: { ...metadata, name: nameOf(expected) } };
}

/**
 * Called for a binding that is not stored. Returns the expected one with subjects, labels and annotations of the
 * binding that it was split from; undefined if that one is not stored, or if the binding was not split from another.
 */
export function inheritedBinding(
  expected: ClusterRoleBinding,
  stored: (name: string) => ClusterRoleBinding | undefined,
): ClusterRoleBinding | undefined {
  const source = sourceOf(SPLIT_FROM, expected, stored);
  if (source === undefined) return undefined;
  const { labels, annotations } = source.metadata ?? {};
  const metadata = {
    name: nameOf(expected),
    ...(labels === undefined ? undefined : { labels }),
    ...(annotations === undefined ? undefined : { annotations }),
  };
  const { subjects: _default, ...binding } = expected;
  return { ...binding, metadata, ...(source.subjects == null ? undefined : { subjects: source.subjects }) };
}

function sourceOf<T extends ClusterRole | ClusterRoleBinding>(
  sources: Readonly<Record<string, string>>,
  expected: T,
  stored: (name: string) => T | undefined,
): T | undefined {
  const name = nameOf(expected);
  return Object.hasOwn(sources, name) ? stored(sources[name] as string) : undefined;
}
