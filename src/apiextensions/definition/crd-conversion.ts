/**
 * Conversion between v1 and v1beta1 of CustomResourceDefinition. v1 is stored. v1beta1 has fields for what all versions
 * have in common (schema, subresources, columns, selectable fields) and other names for conversion webhooks and JSON
 * paths. Invariant: a v1 definition is the same after conversion to v1beta1 and back.
 */

import { flagAt, objectAt, objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { equalJson, getField, isJsonObject, type JsonObject, type JsonValue, setField } from '../../base/json-value.ts';

/** Fields that all versions may have in common: their name in a version, and their name in a v1beta1 spec. */
const SHARED = [
  ['subresources', 'subresources'],
  ['schema', 'validation'],
  ['additionalPrinterColumns', 'additionalPrinterColumns'],
  ['selectableFields', 'selectableFields'],
] as const;

/** Converts from v1 to v1beta1. Does not modify the object; the result shares parts of it. */
export function toV1beta1(object: JsonObject, apiVersion: string): JsonObject {
  return withSpec(object, apiVersion, specToV1beta1);
}

/** Converts from v1beta1 to v1. Does not modify the object; the result shares parts of it. */
export function toV1(object: JsonObject, apiVersion: string): JsonObject {
  return withSpec(object, apiVersion, specToV1);
}

function withSpec(object: JsonObject, apiVersion: string, convert: (spec: JsonObject) => JsonObject): JsonObject {
  const spec = objectAt(object, 'spec');
  return { ...object, apiVersion, ...(spec === undefined ? undefined : { spec: convert(spec) }) };
}

// ── To v1beta1 ───────────────────────────────────────────────────────────────────────────────────────

const OF_SPEC: ReadonlySet<string> = new Set(['conversion', 'versions', 'preserveUnknownFields']);

function specToV1beta1(spec: JsonObject): JsonObject {
  const versions = objectsAt(spec, 'versions').map((version) => withColumns(version, 'jsonPath', 'JSONPath'));
  const first = versions[0];
  const out = without(spec, OF_SPEC);
  const inCommon = new Set<string>();
  if (first !== undefined) {
    out['version'] = textAt(first, 'name');
    for (const [inVersion, atTop] of SHARED) {
      const value = getField(first, inVersion);
      if (value === undefined || !versions.every((version) => isSame(getField(version, inVersion), value))) continue;
      out[atTop] = value;
      inCommon.add(inVersion);
    }
  }
  const { conversion } = spec;
  out['versions'] = Array.isArray(getField(spec, 'versions')) ? versions.map((one) => without(one, inCommon)) : null;
  if (isJsonObject(conversion)) out['conversion'] = conversionToV1beta1(conversion);
  out['preserveUnknownFields'] = flagAt(spec, 'preserveUnknownFields');
  return out;
}

/** Returns a copy without some fields. Deleting them instead would make an object that is slow to read. */
function without(object: JsonObject, names: ReadonlySet<string>): JsonObject {
  const out: JsonObject = {};
  for (const name of Object.keys(object)) if (!names.has(name)) setField(out, name, object[name] as JsonValue);
  return out;
}

function isSame(a: JsonValue | undefined, b: JsonValue): boolean {
  return a !== undefined && equalJson(a, b);
}

function conversionToV1beta1({ webhook, ...rest }: JsonObject): JsonObject {
  if (!isJsonObject(webhook)) return rest;
  const { clientConfig, conversionReviewVersions } = webhook;
  return {
    ...rest,
    ...(isJsonObject(clientConfig) ? { webhookClientConfig: clientConfig } : undefined),
    ...(Array.isArray(conversionReviewVersions) ? { conversionReviewVersions } : undefined),
  };
}

// ── To v1 ────────────────────────────────────────────────────────────────────────────────────────────

function specToV1(spec: JsonObject): JsonObject {
  const { conversion, version: name, versions: _, preserveUnknownFields: __, ...rest } = spec;
  const given = objectsAt(spec, 'versions').map((version) => ({ ...version }));
  const versions =
    given.length > 0 || typeof name !== 'string' || name === '' ? given : [{ name, served: true, storage: true }];
  for (const [inVersion, atTop] of SHARED) {
    delete rest[atTop];
    const value = getField(spec, atTop);
    if (value === undefined || value === null) continue;
    for (const version of versions as JsonObject[]) version[inVersion] = value;
  }
  return {
    ...rest,
    versions: versions.length === 0 ? null : versions.map((version) => withColumns(version, 'JSONPath', 'jsonPath')),
    ...(isJsonObject(conversion) ? { conversion: conversionToV1(conversion) } : undefined),
    ...(flagAt(spec, 'preserveUnknownFields') ? { preserveUnknownFields: true } : undefined),
  };
}

function conversionToV1({ webhookClientConfig, conversionReviewVersions, ...rest }: JsonObject): JsonObject {
  const hasConfig = isJsonObject(webhookClientConfig);
  const hasVersions = Array.isArray(conversionReviewVersions);
  if (!hasConfig && !hasVersions) return rest;
  return {
    ...rest,
    webhook: {
      ...(hasConfig ? { clientConfig: webhookClientConfig } : undefined),
      conversionReviewVersions: hasVersions ? conversionReviewVersions : null,
    },
  };
}

/** Returns the version with the path of its columns under another name. */
function withColumns(version: JsonObject, from: string, to: string): JsonObject {
  const columns = getField(version, 'additionalPrinterColumns');
  if (!Array.isArray(columns)) return version;
  const renamed = columns.map((column) => {
    if (!isJsonObject(column)) return column;
    const { [from]: path, ...rest } = column;
    return path === undefined ? rest : { ...rest, [to]: path };
  });
  return { ...version, additionalPrinterColumns: renamed };
}
