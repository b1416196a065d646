/**
 * The kit that declares a resource with a structural schema in a few lines. It makes the same `ResourceDefinition` as
 * the declarations of built-in kinds and CustomResourceDefinitions. `kit/` has its parts.
 */
import type { JsonObject } from '../../base/json-value.ts';
import { declaredResource } from './kit/declared-resource.ts';
import type { DeclaredFields } from './kit/resource-object.ts';
import type { ActionBodies, ResourceOptions } from './kit/resource-options.ts';
import type { SchemaSource } from './kit/schema-source.ts';
import type { ResourceDefinition } from './resource-definition.ts';

/** The type of fields that the schemas declare, unless the caller gives it. */
interface Inferred {
  readonly '~inferred': never;
}

/** The schema of a part that is not declared. */
interface Absent extends JsonObject {
  '~absent': true;
}

/**
 * The type of an object's fields: as given, or inferred from the schemas. `never` stands for a schema not yet inferred.
 */
type FieldsOf<T, Spec, Status> = [T] extends [Inferred]
  ? [Spec] extends [never]
    ? object
    : [Spec] extends [Absent]
      ? JsonObject
      : DeclaredFields<Spec, [Status] extends [Absent] ? JsonObject : Status>
  : NoInfer<T>;

/**
 * Declares a resource. The types of `spec` and `status` in hooks, columns, actions and streams are those of the schemas
 * of a schema library. With plain JSON Schema, `T` names the type of the fields besides `apiVersion`, `kind` and
 * `metadata`; default: JSON objects. Throws ConfigError that lists the problems of the schemas.
 */
export function defineResource<
  T extends object = Inferred,
  const Spec extends SchemaSource = Absent,
  const Status extends SchemaSource = Absent,
  const Bodies extends ActionBodies = ActionBodies,
>(options: ResourceOptions<FieldsOf<T, Spec, Status> & object, Spec, Status, Bodies>): ResourceDefinition {
  return declaredResource(options as unknown as ResourceOptions<JsonObject>);
}
