/**
 * The schemas that a program may declare a resource with: plain JSON Schema, or a value of a schema library that offers
 * Standard JSON Schema (https://standardschema.dev), such as Zod 4. The package imports no schema library: a schema is
 * recognised by its property `~standard`.
 */
import type { JsonObject } from '../../../base/json-value.ts';
import type { MaybePromise } from '../../../base/maybe-promise.ts';

/** One step of the path of an issue: a key, or an object that has it. */
export type LibraryPathStep = PropertyKey | { readonly key: PropertyKey };

export interface LibraryIssue {
  readonly message: string;
  readonly path?: readonly LibraryPathStep[] | undefined;
}

/** The result of a library's own validation. Without `issues` the value is valid. */
export type LibraryResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly LibraryIssue[] };

/** A schema of a library. `Output` is the type of valid values, with defaults. */
export interface LibrarySchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    /** The name of the library, for messages. */
    readonly vendor: string;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: 'openapi-3.0' }) => Record<string, unknown>;
      readonly output: (options: { readonly target: 'openapi-3.0' }) => Record<string, unknown>;
    };
    /** Runs the refinements that JSON Schema cannot express. Absent: there are none. */
    readonly validate?: (value: unknown) => MaybePromise<LibraryResult>;
  };
}

/** Plain JSON Schema as OpenAPI 3.0 has it, or a schema of a library. */
export type SchemaSource = JsonObject | LibrarySchema;

/** The type of the values of a schema: the output type of a library's schema; JsonObject for plain JSON Schema. */
export type ValueOf<S> = S extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : JsonObject
  : JsonObject;

export function isLibrarySchema(source: SchemaSource): source is LibrarySchema {
  return Object.hasOwn(source, '~standard') || '~standard' in source;
}
