/**
 * Compares resourceVersions. Kubernetes guarantees since 1.35 that they are decimal integers which grow with each
 * change of a resource (KEP-5504).
 */

const DECIMAL = /^(0|[1-9][0-9]*)$/;

export function isResourceVersion(text: string): boolean {
  return DECIMAL.test(text);
}

/**
 * Returns a negative number if `a` is older than `b`, a positive one if it is newer, 0 if they are equal. '' is older
 * than all others.
 */
export function compareResourceVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}
