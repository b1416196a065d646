/** The managers of an object's fields, and conflicts between them. */
import { equalSets, type FieldSet } from '../field-set/field-set.ts';
import type { Path } from '../field-set/path-element.ts';

/** The fields of one manager, in the version in which it wrote them. */
export interface VersionedSet {
  readonly set: FieldSet;
  readonly apiVersion: string;
  /** True if the manager applied them, false if it wrote them by other means. */
  readonly applied: boolean;
}

/** The field sets of all managers, by a string that identifies the manager. The caller chooses the string. */
export type Managers = Map<string, VersionedSet>;

/** A field that an apply would change although `manager`, another manager, owns it. */
export interface Conflict {
  readonly manager: string;
  readonly path: Path;
}

/** Returns one conflict for each path, in the order of the map. */
export function conflictsOf(sets: ReadonlyMap<string, FieldSet>): Conflict[] {
  return Array.from(sets, ([manager, set]) => Array.from(set.paths(), (path) => ({ manager, path }))).flat();
}

export function equalManagers(a: Managers, b: Managers): boolean {
  if (a.size !== b.size) return false;
  for (const [manager, { set, apiVersion, applied }] of a) {
    const other = b.get(manager);
    if (other === undefined || other.apiVersion !== apiVersion || other.applied !== applied) return false;
    if (!equalSets(set, other.set)) return false;
  }
  return true;
}
