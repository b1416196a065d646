/**
 * The interface to the shared types of meta.k8s.io (ObjectMeta, Status, APIResourceList) that the generic server
 * answers with.
 */
import type { StructView } from '../../apimachinery/type-view.ts';

/** Type views by their OpenAPI name, and back. */
export interface MetaTypes {
  /** Returns the view of a type. It has at least the types below `META_TYPES`. Throws BugError for an unknown name. */
  view(typeName: string): StructView;
  /** Returns undefined for a view that was not made by this registry. */
  typeName(view: StructView): string | undefined;
}

/** The common prefix of the shared types in OpenAPI documents. */
export const META_TYPES = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
