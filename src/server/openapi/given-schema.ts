/** OpenAPI schemas that are not made from a type view: those of structural schemas. */
import type { JsonObject } from '../../base/json-value.ts';

/** One schema in the forms of both OpenAPI versions, made when a document is written. */
export interface GivenSchema {
  v3(): JsonObject;
  /** Default: made from the v3 form. */
  v2?(): JsonObject;
  /** Names of the shared types that the schema refers to. */
  readonly refers: readonly string[];
}

/** The schemas of one version of a resource. */
export interface GivenVersionSchemas {
  /** The name of the object's type, such as `com.example.v1.Widget`. */
  readonly typeName: string;
  readonly listTypeName: string;
  readonly object: GivenSchema;
  readonly list: GivenSchema;
}
