/** A pod as the checks see it, and how they say what is wrong. Invariant: pure; containers come in the order init, main, ephemeral. */
import { annotationsOf } from '../../../apimachinery/meta/meta.ts';
import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';

export interface CheckedContainer {
  readonly name: string;
  readonly container: JsonObject;
  /** Undefined if it has none. */
  readonly security: JsonObject | undefined;
}

export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
  readonly security: JsonObject | undefined;
  readonly containers: readonly CheckedContainer[];
}

export interface Violation {
  readonly reason: string;
  /** '' for none. */
  readonly detail: string;
}

export type PodCheck = (pod: CheckedPod) => Violation | undefined;

/** Of a pod, or of a template of one. */
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

/** Pods for Windows keep to other rules since 1.25. */
export function isWindows({ spec }: CheckedPod): boolean {
  return textAt(spec, 'os', 'name') === 'windows';
}

/** Root inside of a user namespace is nobody outside of it. */
export function hasUserNamespace({ spec }: CheckedPod): boolean {
  return spec['hostUsers'] === false;
}

export function plural(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}

/** `"a", "b"`. */
export function inQuotes(items: Iterable<string>): string {
  return [...items].map((item) => `"${item}"`).join(', ');
}

/** As inQuotes, each once and in order. */
export function sortedInQuotes(items: Iterable<string>): string {
  return inQuotes(sorted(items));
}

export function sorted(items: Iterable<string>): string[] {
  return [...new Set(items)].sort();
}

/** `container "a"` or `containers "a", "b"`. */
export function containersNamed(names: readonly string[]): string {
  return `${plural(names.length, 'container', 'containers')} ${inQuotes(names)}`;
}

/** `pod and containers "a", "b"`: who set something. '' for nobody. */
export function setters(pod: boolean, containers: readonly string[]): string {
  return [...(pod ? ['pod'] : []), ...(containers.length > 0 ? [containersNamed(containers)] : [])].join(' and ');
}

/** Names of the containers of which `test` is true. */
export function containersWhere(pod: CheckedPod, test: (container: CheckedContainer) => boolean): string[] {
  return pod.containers.filter(test).map(({ name }) => name);
}
