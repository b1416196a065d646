/**
 * Names of operations. They equal the reference's, because generated clients use them. Every operation of a server has
 * a different name.
 */
import type { GroupVersion } from '../../apimachinery/meta/gvk.ts';

/** Returns a name such as `createCoreV1NamespacedPod`: the verb, the group and version, and the rest. */
export function operationId(verb: string, served: GroupVersion, rest: string): string {
  return verb + versionId(served) + identifier(rest, true);
}

/** Returns the part of group and version: `CoreV1`. */
export function versionId({ group, version }: GroupVersion): string {
  return identifier(shortGroup(group), true) + identifier(version, true);
}

/** Returns a name such as `getCoordinationAPIGroup`. */
export function groupOperationId(verb: string, group: string, rest: string): string {
  return verb + identifier(shortGroup(group), true) + rest;
}

/** Returns `rbacAuthorization_v1`, or `rbacAuthorization` without a version. */
export function operationTag(group: string, version?: string): string {
  const name = identifier(shortGroup(group), false);
  return version === undefined ? name : `${name}_${identifier(version, false)}`;
}

/** Returns a subresource as part of a name: `Ephemeralcontainers`. */
export function titleCase(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();
}

function shortGroup(group: string): string {
  if (group === '') return 'core';
  return group.endsWith('.k8s.io') ? group.slice(0, -'.k8s.io'.length) : group;
}

/**
 * Keeps letters, underscores and digits (not as the first character). The character after a dropped one is capitalized.
 */
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
