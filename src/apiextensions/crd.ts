/**
 * The parsed form of a CustomResourceDefinition: a view of the stored v1 object. Schemas stay JSON until they are used,
 * because there may be thousands of definitions.
 */

import type { WebhookService } from '../admission/post-review.ts';
import { webhookServiceOf } from '../admission/webhook-address.ts';
import { flagAt, listAt, numberAt, objectAt, textAt, textsAt } from '../apimachinery/meta/object-fields.ts';
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import type { JsonPathColumn } from '../server/resource/json-path-columns.ts';

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
  /** Undefined for the default text. */
  readonly deprecationWarning: string | undefined;
  /** JSONSchemaProps. Undefined for a version without a schema, which only v1beta1 allows. */
  readonly schema: JsonObject | undefined;
  readonly hasStatus: boolean;
  readonly scale: CrdScale | undefined;
  readonly columns: readonly JsonPathColumn[];
  /** As written, with the leading dot: `.spec.color`. */
  readonly selectableFields: readonly string[];
}

export interface CrdWebhook {
  /** Exactly one of `url` and `service` is set. */
  readonly url: string | undefined;
  readonly service: WebhookService | undefined;
  /** Base64 of PEM. '' for the trusted roots of the system. */
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
  /** The stored object. It is shared and must not be modified. */
  readonly object: JsonObject;
}

/** Reads a stored object of version v1. Missing fields read as zero values; nothing is refused. */
export function readCrd(object: JsonObject): Crd {
  const spec = objectAt(object, 'spec') ?? {};
  const status = objectAt(object, 'status') ?? {};
  const metadata = objectAt(object, 'metadata') ?? {};
  return {
    name: textAt(metadata, 'name'),
    uid: textAt(metadata, 'uid'),
    resourceVersion: textAt(metadata, 'resourceVersion'),
    generation: Number(numberAt(metadata, 'generation')),
    deletionTimestamp: optionalText(metadata, 'deletionTimestamp'),
    finalizers: textsAt(metadata, 'finalizers'),
    annotations: (objectAt(metadata, 'annotations') ?? {}) as Record<string, string>,
    group: textAt(spec, 'group'),
    scope: textAt(spec, 'scope') === 'Cluster' ? 'Cluster' : 'Namespaced',
    names: readNames(objectAt(spec, 'names')),
    versions: listAt(spec, 'versions').filter(isJsonObject).map(readVersion),
    preserveUnknownFields: flagAt(spec, 'preserveUnknownFields'),
    webhook: readWebhook(objectAt(spec, 'conversion')),
    acceptedNames: readNames(objectAt(status, 'acceptedNames')),
    storedVersions: textsAt(status, 'storedVersions'),
    conditions: readConditions(object),
    object,
  };
}

/** The conditions in the status of a definition of either version. */
export function readConditions(object: JsonObject): readonly CrdCondition[] {
  return listAt(object, 'status', 'conditions').filter(isJsonObject).map(readCondition);
}

export function readNames(names: JsonObject | undefined): CrdNames {
  const from = names ?? {};
  return {
    plural: textAt(from, 'plural'),
    singular: textAt(from, 'singular'),
    shortNames: textsAt(from, 'shortNames'),
    kind: textAt(from, 'kind'),
    listKind: textAt(from, 'listKind'),
    categories: textsAt(from, 'categories'),
  };
}

function readVersion(version: JsonObject): CrdVersion {
  return {
    name: textAt(version, 'name'),
    served: flagAt(version, 'served'),
    storage: flagAt(version, 'storage'),
    deprecated: flagAt(version, 'deprecated'),
    deprecationWarning: optionalText(version, 'deprecationWarning'),
    schema: objectAt(version, 'schema', 'openAPIV3Schema'),
    hasStatus: objectAt(version, 'subresources', 'status') !== undefined,
    scale: readScale(objectAt(version, 'subresources', 'scale')),
    columns: listAt(version, 'additionalPrinterColumns').filter(isJsonObject).map(readColumn),
    selectableFields: listAt(version, 'selectableFields')
      .filter(isJsonObject)
      .map((field) => textAt(field, 'jsonPath')),
  };
}

function readScale(scale: JsonObject | undefined): CrdScale | undefined {
  if (scale === undefined) return undefined;
  return {
    specReplicasPath: textAt(scale, 'specReplicasPath'),
    statusReplicasPath: textAt(scale, 'statusReplicasPath'),
    labelSelectorPath: textAt(scale, 'labelSelectorPath'),
  };
}

function readColumn(column: JsonObject): JsonPathColumn {
  return {
    name: textAt(column, 'name'),
    type: textAt(column, 'type'),
    format: textAt(column, 'format'),
    description: textAt(column, 'description'),
    priority: Number(numberAt(column, 'priority')),
    jsonPath: textAt(column, 'jsonPath'),
  };
}

function readWebhook(conversion: JsonObject | undefined): CrdWebhook | undefined {
  if (conversion === undefined || textAt(conversion, 'strategy') !== 'Webhook') return undefined;
  const config = objectAt(conversion, 'webhook', 'clientConfig') ?? {};
  return {
    url: optionalText(config, 'url'),
    service: webhookServiceOf(config),
    caBundle: textAt(config, 'caBundle'),
    conversionReviewVersions: textsAt(conversion, 'webhook', 'conversionReviewVersions'),
  };
}

function readCondition(condition: JsonObject): CrdCondition {
  const observed = getField(condition, 'observedGeneration');
  return {
    type: textAt(condition, 'type'),
    status: statusOf(getField(condition, 'status')),
    lastTransitionTime: optionalText(condition, 'lastTransitionTime'),
    reason: textAt(condition, 'reason'),
    message: textAt(condition, 'message'),
    observedGeneration: observed === undefined || observed === null ? undefined : Number(observed),
  };
}

function statusOf(value: JsonValue | undefined): CrdCondition['status'] {
  return value === 'True' || value === 'False' ? value : 'Unknown';
}

function optionalText(object: JsonObject, name: string): string | undefined {
  const value = getField(object, name);
  return typeof value === 'string' ? value : undefined;
}
