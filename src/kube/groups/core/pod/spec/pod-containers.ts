/** The containers of a pod spec. Invariant: init containers come first, then the others, ephemeral ones last, as the reference visits them. */
import { objectsAt } from '../../../../../apimachinery/meta/object-fields.ts';
import type { FieldPath } from '../../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export type ContainerList = (typeof LISTS)[number];

export function allContainers(spec: JsonObject): readonly JsonObject[] {
  return LISTS.flatMap((list) => objectsAt(spec, list));
}

/** Calls for each container. `at` makes its path, which most visitors do not need. */
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
