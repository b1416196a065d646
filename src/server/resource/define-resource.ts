/**
 * The kit that declares a resource with a structural schema in a few lines. It makes the same `ResourceDefinition` as
 * the declarations of built-in kinds and CustomResourceDefinitions.
 */
import type { ResourceScope } from '../../apimachinery/meta/gvk.ts';
import type { FieldIssue } from '../../apimachinery/validation/field-issue.ts';
import type { NameRule } from '../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { compileSchema } from '../../schema/compile-schema.ts';
import { rulesOf } from '../../schema/rules/rules-of.ts';
import type { JsonPathColumn } from './json-path-columns.ts';
import type { RegistryHost } from './registry-host.ts';
import type { ResourceDefinition, SubresourceDefinition } from './resource-definition.ts';
import type { ResourceStore } from './resource-store.ts';
import { checkedSchema } from './schema/check-schema.ts';
import { objectMetaView } from './schema/object-metadata-form.ts';
import { schemaDocuments } from './schema/schema-openapi.ts';
import { type SchemaRules, schemaStatusStrategy, schemaStrategy } from './schema/schema-strategy.ts';
import { SchemaVersion } from './schema/schema-version.ts';
import type { StrategyContext } from './strategy.ts';
import { updateSubresource } from './update-subresource.ts';

/** The fields that every object has. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** A column of `kubectl get`. */
export type ResourceColumn = Pick<JsonPathColumn, 'name' | 'jsonPath'> & Partial<JsonPathColumn>;

/** `T` is the type of the fields besides `apiVersion`, `kind` and `metadata`: usually `{ spec: ...; status?: ... }`. */
export interface ResourceOptions<T extends object> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /**
   * The structural schema (OpenAPI v3) of the object, as in a CustomResourceDefinition: pruning, defaults, validation,
   * CEL rules and `kubectl explain` come from it. `apiVersion`, `kind` and `metadata` need not be listed.
   */
  readonly schema: JsonObject;
  /** Default: the kind in lower case with an `s`. */
  readonly plural?: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Default `Namespaced`. */
  readonly scope?: ResourceScope;
  /** Columns after the name; type `string` by default. Default: the age. */
  readonly columns?: readonly ResourceColumn[];
  /** Paths that field selectors may name, such as `spec.size`. Default none. */
  readonly selectableFields?: readonly string[];
  /** Default: DNS subdomains. */
  readonly nameRule?: NameRule;
  /**
   * Returns issues that the schema cannot express. Called on every create and update, after defaulting and beside the
   * schema's own validation, with the object in the request's version; `old` is undefined on a create. Must not modify
   * the object.
   */
  validate?(
    object: ObjectIdentity & T,
    old: (ObjectIdentity & T) | undefined,
    context: StrategyContext,
  ): readonly FieldIssue[];
  /** Subresources besides `status`, which exists if the schema has a property `status` and there is no `store`. */
  readonly subresources?: readonly SubresourceDefinition[];
  /**
   * Replaces the store over Storage: a table of a database, or a computed collection. The verbs of the resource are those
   * that the store has. The schema still gives defaults, columns and documentation, but the store itself validates what
   * it writes.
   */
  store?(host: RegistryHost): ResourceStore;
}

/** Declares a resource. Throws ConfigError that lists the problems of the schema. */
export function defineResource<T extends object = JsonObject>(options: ResourceOptions<T>): ResourceDefinition {
  const { group, kind, scope = 'Namespaced', nameRule } = options;
  const singular = options.singular ?? kind.toLowerCase();
  const plural = options.plural ?? `${kind.toLowerCase()}s`;
  const version = schemaVersion(options, plural);
  const validateMore = validatorOf(options);
  const rules: SchemaRules = {
    namespaced: scope === 'Namespaced',
    ...(nameRule && { nameRule }),
    ...(validateMore && { validateMore, validateMoreStatus: validateMore }),
  };
  const status = version.hasStatus ? [updateSubresource('status', schemaStatusStrategy(rules))] : [];
  return {
    plural,
    singular,
    shortNames: options.shortNames ?? [],
    categories: options.categories ?? [],
    scope,
    versions: [version],
    storageVersion: options.store === undefined ? version : undefined,
    storagePrefix: `${group}/${plural}`,
    generation: '1',
    strategy: schemaStrategy(rules),
    ...(options.store && { store: options.store }),
    subresources: [...status, ...(options.subresources ?? [])],
  };
}

function schemaVersion<T extends object>(options: ResourceOptions<T>, plural: string): SchemaVersion {
  const { group, version, kind, columns = [], selectableFields = [] } = options;
  const schema = checkedSchema(kind, options.schema);
  const names = { group, version, kind, listKind: `${kind}List`, selectableFields };
  return new SchemaVersion({
    ...names,
    compile: () => compileSchema(schema, { objectMeta: objectMetaView(), rules: rulesOf(schema) }),
    hasStatus: options.store === undefined && schema.properties.has('status'),
    isStorage: true,
    columns: columns.map((column) => ({ type: 'string', format: '', description: '', priority: 0, ...column })),
    deprecationWarning: '',
    openapi: schemaDocuments({ ...names, plural, schema: () => schema }),
  });
}

/** The type parameter ends here: strategies see JSON objects, which the schema has validated. */
function validatorOf<T extends object>({ validate }: ResourceOptions<T>): SchemaRules['validateMore'] {
  if (validate === undefined) return undefined;
  return (object, old, context) =>
    validate(object as unknown as ObjectIdentity & T, old as unknown as (ObjectIdentity & T) | undefined, context);
}
