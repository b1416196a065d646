/** The parts of a pod that PodSecurity checks read, and the formatting of violations. */
import { annotationsOf } from '../../../apimachinery/meta/meta.ts';
import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';

export interface CheckedContainer {
  readonly name: string;
  readonly container: JsonObject;
  /** The securityContext. */
  readonly security: JsonObject | undefined;
}

export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
  /** The securityContext. */
  readonly security: JsonObject | undefined;
  /** Init containers, then containers, then ephemeral containers. */
  readonly containers: readonly CheckedContainer[];
}

export interface Violation {
  readonly reason: string;
  /** '' if there is none. */
  readonly detail: string;
}

export type PodCheck = (pod: CheckedPod) => Violation | undefined;

/** Reads a pod or a pod template. */
export function checkedPod(pod: JsonObject): CheckedPod {
  const spec = objectAt(pod, 'spec') ?? {};
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) => objectsAt(spec, list));
  return {
    annotations: annotationsOf(pod),
    spec,
    security: objectAt(spec, 'securityContext'),
    containers: containers.map((container) => ({
      name: textAt(container, 'name'),
      container,
      security: objectAt(container, 'securityContext'),
    })),
  };
}

/** Returns true for a pod for Windows. Since 1.25 some checks skip these. */
export function isWindows({ spec }: CheckedPod): boolean {
  return textAt(spec, 'os', 'name') === 'windows';
}

/** Returns true for a pod in a user namespace, where root has no privileges on the node. */
export function hasUserNamespace({ spec }: CheckedPod): boolean {
  return spec['hostUsers'] === false;
}

export function plural(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}

/** Formats texts as `"a", "b"`. */
export function inQuotes(items: Iterable<string>): string {
  return [...items].map((item) => `"${item}"`).join(', ');
}

/** Formats distinct texts as `inQuotes` does, sorted. */
export function sortedInQuotes(items: Iterable<string>): string {
  return inQuotes(sorted(items));
}

export function sorted(items: Iterable<string>): string[] {
  return [...new Set(items)].sort();
}

/** Formats names as `container "a"` or `containers "a", "b"`. */
export function containersNamed(names: readonly string[]): string {
  return `${plural(names.length, 'container', 'containers')} ${inQuotes(names)}`;
}

/** Formats the places that set a field as `pod and containers "a", "b"`. Returns '' if there are none. */
export function setters(pod: boolean, containers: readonly string[]): string {
  return [...(pod ? ['pod'] : []), ...(containers.length > 0 ? [containersNamed(containers)] : [])].join(' and ');
}

/** Returns the names of the containers for which `test` returns true. */
export function containersWhere(pod: CheckedPod, test: (container: CheckedContainer) => boolean): string[] {
  return pod.containers.filter(test).map(({ name }) => name);
}
