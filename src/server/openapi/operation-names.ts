/**
 * Names of operations, made as the reference makes them, because generated clients are named after them. Invariant: two
 * operations of one server never share a name.
 */
import type { GroupVersion } from '../../apimachinery/meta/gvk.ts';

/** `createCoreV1NamespacedPod`: the verb, group and version, and the rest of the name. */
export function operationId(verb: string, served: GroupVersion, rest: string): string {
  return verb + versionId(served) + identifier(rest, true);
}

/** `CoreV1`: the part of names that group and version make. */
export function versionId({ group, version }: GroupVersion): string {
  return identifier(shortGroup(group), true) + identifier(version, true);
}

/** `getCoordinationAPIGroup`. */
export function groupOperationId(verb: string, group: string, rest: string): string {
  return verb + identifier(shortGroup(group), true) + rest;
}

/** `rbacAuthorization_v1`, or `rbacAuthorization` without a version. */
export function operationTag(group: string, version?: string): string {
  const name = identifier(shortGroup(group), false);
  return version === undefined ? name : `${name}_${identifier(version, false)}`;
}

/** `Ephemeralcontainers`: a subresource within a name. */
export function titleCase(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();
}

function shortGroup(group: string): string {
  if (group === '') return 'core';
  return group.endsWith('.k8s.io') ? group.slice(0, -'.k8s.io'.length) : group;
}

/** Letters, digits (not at the start) and underscores; what follows anything else is capitalized. */
export function identifier(text: string, capitalizeFirst: boolean): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text))
    return capitalizeFirst ? text.slice(0, 1).toUpperCase() + text.slice(1) : text;
  let result = '';
  let capitalize = capitalizeFirst;
  let isFirst = true;
  for (const char of text) {
    if (/[\p{L}_]/u.test(char) || (!isFirst && /\p{Nd}/u.test(char))) {
      result += capitalize ? char.toUpperCase() : char;
      capitalize = false;
    } else capitalize = true;
    isFirst = false;
  }
  return result;
}
