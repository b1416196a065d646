/** A valid definition for tests, changes to it, validation tools without CEL, and issues as texts. */
import { type FieldIssue, formatIssue } from '../../apimachinery/validation/field-issue.ts';
import { BugError } from '../../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';

/** Merges deeply. Undefined removes a field; lists are replaced. */
export function merged(base: JsonObject, change: Readonly<Record<string, unknown>>): JsonObject {
  const out: JsonObject = { ...base };
  for (const [key, value] of Object.entries(change)) {
    const old = out[key];
    if (value === undefined) delete out[key];
    else
      out[key] =
        isJsonObject(value as JsonValue) && isJsonObject(old) ? merged(old, value as JsonObject) : (value as JsonValue);
  }
  return out;
}

export function crdVersion(name: string, change: Readonly<Record<string, unknown>> = {}): JsonObject {
  return merged({ name, served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }, change);
}

/** `things.example.com` in version v1. */
export function crd(change: Readonly<Record<string, unknown>> = {}): JsonObject {
  const base: JsonObject = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [crdVersion('v1')],
    },
  };
  return merged(base, change);
}

/** A v1beta1 definition of the kind Network, shortened from an old document. */
export function v1beta1Crd(change: Readonly<Record<string, unknown>> = {}): JsonObject {
  const base: JsonObject = {
    apiVersion: 'apiextensions.k8s.io/v1beta1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'networks.samplecrd.k8s.io' },
    spec: {
      group: 'samplecrd.k8s.io',
      version: 'v1',
      names: { plural: 'networks', kind: 'Network' },
      scope: 'Namespaced',
    },
  };
  return merged(base, change);
}

/** Returns a body as the strategy sees it: normalized and with defaults. */
export function decoded(version: VersionDefinition, body: JsonObject): JsonObject {
  const result = version.normalize(body);
  if (!result.ok) throw new BugError(result.message);
  version.setDefaults?.(result.object);
  return result.object;
}

export function texts(issues: readonly FieldIssue[]): string[] {
  return issues.map(formatIssue);
}
