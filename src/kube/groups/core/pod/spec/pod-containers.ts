/**
 * Iteration over the containers of a pod spec: init containers first, ephemeral containers last, as in kube-apiserver.
 */
import { objectsAt } from '../../../../../apimachinery/meta/object-fields.ts';
import type { FieldPath } from '../../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export type ContainerList = (typeof LISTS)[number];

export function allContainers(spec: JsonObject): readonly JsonObject[] {
  return LISTS.flatMap((list) => objectsAt(spec, list));
}

/** Calls `visit` for each container. `at` builds its path on demand. */
export function visitContainers(
  spec: JsonObject,
  path: FieldPath,
  visit: (container: JsonObject, at: () => FieldPath, list: ContainerList) => void,
): void {
  for (const list of LISTS)
    objectsAt(spec, list).forEach((container, i) => {
      visit(container, () => path.child(list).index(i), list);
    });
}
