/** Parts of the declarations that the kinds of admissionregistration.k8s.io share. */
import { STATIC_SUFFIX } from '../../../admission/manifests/manifest-objects.ts';
import { nameOf } from '../../../apimachinery/meta/meta.ts';
import { invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { ResourceDefinition } from '../../../server/resource/resource-definition.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import type { VersionDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { type BuiltInVersion, builtInVersion } from '../../shared/built-in.ts';

const NAME = FieldPath.of('metadata', 'name');

export const ADMISSION_CATEGORIES: readonly string[] = ['api-extensions'];

export function admissionVersion(options: Omit<BuiltInVersion, 'group'>): VersionDefinition {
  return builtInVersion({ group: 'admissionregistration.k8s.io', ...options });
}

/** The kinds count generations, validate their metadata themselves, and an update needs a resourceVersion. */
export function admissionStrategy(own: Partial<Strategy>): Strategy {
  return strategyWithDefaults({
    allowUnconditionalUpdate: false,
    countsGeneration: true,
    validatesMetadata: true,
    warningsOnCreate: staticNameWarnings,
    warningsOnUpdate: staticNameWarnings,
    ...own,
  });
}

export interface MutatingKind {
  readonly plural: string;
  readonly kind: string;
  readonly table: NonNullable<BuiltInVersion['table']>;
  readonly setDefaults: NonNullable<BuiltInVersion['setDefaults']>;
  /** The defaults of v1alpha1. */
  readonly setAlphaDefaults: NonNullable<BuiltInVersion['setDefaults']>;
  readonly strategy: Strategy;
}

/**
 * The definition of a mutating kind, with the versions v1, v1beta1 and v1alpha1. They differ only in their type fields.
 * The storage version is v1beta1 for one release after v1 became available, as in kube-apiserver.
 */
export function mutatingDefinition(options: MutatingKind): ResourceDefinition {
  const { plural, kind, table, setDefaults, setAlphaDefaults, strategy } = options;
  const beta = admissionVersion({ version: 'v1beta1', kind, setDefaults, table });
  const alpha = admissionVersion({ version: 'v1alpha1', kind, setDefaults: setAlphaDefaults, table });
  return {
    ...storedResource({
      plural,
      categories: ADMISSION_CATEGORIES,
      scope: 'Cluster',
      versions: [admissionVersion({ version: 'v1', kind, setDefaults, table }), beta, alpha],
      strategy,
    }),
    storageVersion: beta,
  };
}

const RESERVED = `names ending with "${STATIC_SUFFIX}" are reserved for static manifest-based configurations and cannot be managed via the API`;

export function staticNameWarnings(object: JsonObject): readonly string[] {
  return isStaticName(object) ? [`metadata.name: ${RESERVED}`] : [];
}

/** Returns the kind for a server that reads manifest files: it refuses new objects with a reserved name. */
export function withReservedNames({ definition, ...resource }: KubeResource): KubeResource {
  const { warningsOnCreate: _warnings, ...strategy } = definition.strategy;
  const validate: Strategy['validate'] = (object, context) => [
    ...(definition.strategy.validate?.(object, context) ?? []),
    ...(isStaticName(object) ? [invalid(NAME, nameOf(object), RESERVED)] : []),
  ];
  return { ...resource, definition: { ...definition, strategy: { ...strategy, validate } } };
}

function isStaticName(object: JsonObject): boolean {
  return nameOf(object).endsWith(STATIC_SUFFIX);
}
