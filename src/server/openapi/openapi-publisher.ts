/**
 * What OpenAPI documents are made from, and the manager that several servers publish into. Invariant: a group-version's
 * document is made on first use from what was published, kept with its hash, and dropped when that group-version is
 * published anew; others are not touched.
 */
import type { GroupVersion } from '../../apimachinery/meta/gvk.ts';
import type { StructView } from '../../apimachinery/type-view.ts';
import type { ResourceDefinition } from '../resource/resource-definition.ts';
import type { ResourceStore } from '../resource/resource-store.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';
import type { GivenSchema } from './given-schema.ts';

/** One resource of a published group-version, with the stores that say which verbs there are. */
export interface OpenApiResource {
  readonly definition: ResourceDefinition;
  readonly version: VersionDefinition;
  readonly store: ResourceStore;
  readonly subresources: readonly {
    readonly name: string;
    readonly version: VersionDefinition;
    readonly store: ResourceStore;
  }[];
}

export interface OpenApiVersion extends GroupVersion {
  /** Called when a document is first asked for. */
  resources(): readonly OpenApiResource[];
  /**
   * The name of a type in the documents, such as `io.k8s.api.core.v1.ConfigMap`; undefined for a type without a name,
   * which is written in place.
   */
  typeName(view: StructView): string | undefined;
  /**
   * A schema that is not made from a view (custom resources), by the name of its type; it wins over what a view would
   * give. Default: there are none.
   */
  schema?(typeName: string): GivenSchema | undefined;
  /**
   * One line about a type, or about a field of it. Default: those that all kinds share are described, the rest is not.
   */
  describe?(typeName: string, field?: string): string | undefined;
  /**
   * A text that differs whenever the document would: its hash is then made from this, and the index of all documents
   * does not have to make this one. Default: the hash is that of the document.
   */
  readonly fingerprint?: string;
  /**
   * True where the publisher has the whole group: the discovery paths of the group and of the version are then
   * documented too. Default false.
   */
  readonly ownsGroup?: boolean;
}

export interface OpenApiPublisher {
  publish(version: OpenApiVersion): void;
  remove(version: GroupVersion): void;
}
