/** The types that the generic server itself answers with: it knows their names, and whoever composes a server has their facts. */
import type { StructView } from '../../apimachinery/type-view.ts';

/** Views by the name that a type has in OpenAPI documents, and back. */
export interface TypeBook {
  /** Throws BugError for a name that it does not have. It has all of `META_TYPES`. */
  view(typeName: string): StructView;
  /** Undefined for a view that is not from here. */
  typeName(view: StructView): string | undefined;
}

/** What the names of the shared types begin with. */
export const META_TYPES = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
