/**
 * Kubernetes' order of API versions: `v2`, `v1`, `v1beta2`, `v1beta1`, `v1alpha1`, then all others by name. Invariant:
 * it is a total order; texts that mean the same version (`v1`, `v01`) compare as equal.
 */
import { compareUtf8 } from '../../base/utf8.ts';
import { parseGoInt } from '../scalars/go-number.ts';

interface KubeVersion {
  readonly stability: number;
  readonly major: bigint;
  readonly minor: bigint;
}

const PATTERN = /^v([0-9]+)(?:(alpha|beta)([0-9]+))?$/;

/**
 * Positive if `a` is preferred to `b`, negative if `b` is preferred, 0 if neither. Sort descending to put the most
 * preferred version first.
 */
export function compareKubeAwareVersions(a: string, b: string): number {
  if (a === b) return 0;
  const x = parseKubeVersion(a);
  const y = parseKubeVersion(b);
  if (x === undefined) return y === undefined ? compareUtf8(b, a) : -1;
  if (y === undefined) return 1;
  return x.stability - y.stability || order(x.major, y.major) || order(x.minor, y.minor);
}

/** A text whose numbers exceed int64 is not a Kubernetes version. */
function parseKubeVersion(text: string): KubeVersion | undefined {
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const major = parseGoInt(match[1] as string);
  const minor = parseGoInt(match[3] ?? '0');
  if (!major.ok || !minor.ok) return undefined;
  const stability = match[2] === 'alpha' ? 0 : match[2] === 'beta' ? 1 : 2;
  return { stability, major: major.value, minor: minor.value };
}

function order(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
