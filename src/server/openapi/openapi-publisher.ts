/** The interface through which servers publish their group-versions in OpenAPI. */
import type { GroupVersion } from '../../apimachinery/meta/gvk.ts';
import type { StructView } from '../../apimachinery/type-view.ts';
import type { ResourceDefinition } from '../resource/resource-definition.ts';
import type { ResourceStore } from '../resource/resource-store.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';
import type { GivenSchema } from './given-schema.ts';

/** One resource of a published group-version, with the stores that determine its verbs. */
export interface OpenApiResource {
  readonly definition: ResourceDefinition;
  readonly version: VersionDefinition;
  readonly store: ResourceStore;
  readonly subresources: readonly {
    readonly name: string;
    readonly version: VersionDefinition;
    readonly store: ResourceStore;
    /** See SubresourceDefinition. */
    readonly answer?: VersionDefinition | undefined;
    readonly description?: string | undefined;
  }[];
}

export interface OpenApiVersion extends GroupVersion {
  /** Called when a document of the version is made. */
  resources(): readonly OpenApiResource[];
  /**
   * Returns the name of a type, such as `io.k8s.api.core.v1.ConfigMap`. Undefined for a type without a name, whose
   * schema is inlined.
   */
  typeName(view: StructView): string | undefined;
  /**
   * Returns a schema that is not made from a view, as for custom resources, by the name of its type. It takes
   * precedence over the view. Default: none.
   */
  schema?(typeName: string): GivenSchema | undefined;
  /**
   * A text that changes whenever the document does. The hash of the document is made from it, so that the index does
   * not need the document itself. Default: the hash is made from the document.
   */
  readonly fingerprint?: string;
  /**
   * True if the publisher has the whole group: the discovery paths of the group and version are then documented too.
   * Default false.
   */
  readonly ownsGroup?: boolean;
}

/** The publishing side of the OpenAPI manager. A group-version has one publisher at a time. */
export interface OpenApiPublisher {
  /** Publishes a group-version, or replaces it: its document is made again on the next request. Makes no document. */
  publish(version: OpenApiVersion): void;
  /** Removes a group-version. Does nothing if it is not published. */
  remove(version: GroupVersion): void;
}
