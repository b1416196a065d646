/**
 * The functions that declarations of built-in kinds are written with. Invariant: declaring a kind does not load its
 * type. The generated facts are read when the type is first used, so startup time does not grow with the kinds.
 */

import type { ResourceScope } from '../../apimachinery/meta/gvk.ts';
import type { StructView } from '../../apimachinery/type-view.ts';
import { type NameRule, nameIsDnsSubdomain } from '../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { kindView } from '../../kinds/views.ts';
import { RESETS_SPEC } from '../../server/resource/reset-fields.ts';
import type { ResourceDefinition, SubresourceDefinition } from '../../server/resource/resource-definition.ts';
import type { ResourceStore } from '../../server/resource/resource-store.ts';
import { strategyWithDefaults } from '../../server/resource/stored-resource.ts';
import type { Strategy } from '../../server/resource/strategy.ts';
import { orderedDefaults, type TypedVersionOptions, typedVersion } from '../../server/resource/typed-version.ts';
import { updateSubresource } from '../../server/resource/update-subresource.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';

export interface BuiltInVersion extends Omit<TypedVersionOptions, 'view'> {
  /** Called on every decoded object. May add fields in any order: they are sorted afterwards. Must be idempotent. */
  readonly setDefaults?: (object: JsonObject) => void;
}

/** One version of a built-in kind, with the type that is generated for it. */
export function builtInVersion(options: BuiltInVersion): VersionDefinition {
  const { group, version, kind, setDefaults } = options;
  let known: StructView | undefined;
  const view = (): StructView => {
    known ??= kindView(group, version, kind);
    return known;
  };
  if (setDefaults === undefined) return typedVersion({ ...options, view });
  return typedVersion({ ...options, view, setDefaults: orderedDefaults(setDefaults, view) });
}

/**
 * The `status` subresource. Its strategy is the kind's, except that updates have only the `validateUpdate` and
 * `warningsOnUpdate` given here; default none. It resets the spec unless `status` says otherwise.
 */
export function statusSubresource(strategy: Strategy, status: Partial<Strategy>): SubresourceDefinition {
  const { validateUpdate: _validate, warningsOnUpdate: _warnings, ...kept } = strategy;
  return updateSubresource('status', { ...kept, resetFields: RESETS_SPEC, ...status });
}

export interface UnstoredResource {
  readonly version: VersionDefinition;
  readonly scope: ResourceScope;
  /** Default: the kind in lower case with an `s`. */
  readonly plural?: string;
  readonly shortNames?: readonly string[];
  /** Default: a name must be one path segment. */
  readonly nameRule?: NameRule;
  /** The verbs of the resource are those that the store has. */
  readonly store: NonNullable<ResourceDefinition['store']>;
}

/** A resource with a store of its own instead of the registry's. */
export function unstoredResource(options: UnstoredResource): ResourceDefinition {
  const { version, nameRule } = options;
  const singular = version.kind.toLowerCase();
  return {
    plural: options.plural ?? `${singular}s`,
    singular,
    shortNames: options.shortNames ?? [],
    categories: [],
    scope: options.scope,
    versions: [version],
    storageVersion: undefined,
    storagePrefix: '',
    generation: '1',
    strategy: strategyWithDefaults(nameRule === undefined ? {} : { nameRule }),
    store: options.store,
    subresources: [],
  };
}

/** A resource that is not stored and has only the verb create, such as SubjectAccessReview. */
export function reviewResource(
  version: VersionDefinition,
  scope: ResourceScope,
  create: NonNullable<ResourceStore['create']>,
): ResourceDefinition {
  return unstoredResource({ version, scope, nameRule: nameIsDnsSubdomain, store: () => ({ create }) });
}
