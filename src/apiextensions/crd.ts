/**
 * A CustomResourceDefinition as the server reads it: a view of the stored v1 object. Invariant: nothing is copied but the small things; schemas stay the JSON they are
 * until somebody uses them, because there may be thousands.
 */
import type { JsonObject } from '../base/json-value.ts';

export type ConditionType =
  | 'Established'
  | 'NamesAccepted'
  | 'NonStructuralSchema'
  | 'Terminating'
  | 'KubernetesAPIApprovalPolicyConformant';

export interface CrdCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly lastTransitionTime: string | undefined;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number | undefined;
}

export interface CrdNames {
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly kind: string;
  readonly listKind: string;
  readonly categories: readonly string[];
}

export interface CrdColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  readonly jsonPath: string;
}

export interface CrdScale {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** '' for none. */
  readonly labelSelectorPath: string;
}

export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  /** Undefined where the default text is meant. */
  readonly deprecationWarning: string | undefined;
  /** JSONSchemaProps; undefined for a version without one (from v1beta1). */
  readonly schema: JsonObject | undefined;
  readonly hasStatus: boolean;
  readonly scale: CrdScale | undefined;
  readonly columns: readonly CrdColumn[];
  /** As written: `.spec.color`. */
  readonly selectableFields: readonly string[];
}

export interface CrdWebhook {
  /** Either a url or a service. */
  readonly url: string | undefined;
  readonly service:
    | { readonly namespace: string; readonly name: string; readonly path: string; readonly port: number }
    | undefined;
  /** Base64 of PEM; '' for the system's roots. */
  readonly caBundle: string;
  readonly conversionReviewVersions: readonly string[];
}

export interface Crd {
  /** `<plural>.<group>`. */
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly deletionTimestamp: string | undefined;
  readonly finalizers: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly group: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly names: CrdNames;
  readonly versions: readonly CrdVersion[];
  readonly preserveUnknownFields: boolean;
  /** Undefined for strategy None. */
  readonly webhook: CrdWebhook | undefined;
  readonly acceptedNames: CrdNames;
  readonly storedVersions: readonly string[];
  readonly conditions: readonly CrdCondition[];
  /** The stored object. Shared: nobody changes it. */
  readonly object: JsonObject;
}
