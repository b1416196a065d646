/** The change of an object by one mutation of a policy, after its expression was evaluated. */

import { mergeTyped } from '../../apimachinery/apply/merge-typed.ts';
import { mergeTypeOf } from '../../apimachinery/apply/view-type.ts';
import { formatGroupVersion, formatGvk } from '../../apimachinery/meta/gvk.ts';
import { applyJsonPatch } from '../../apimachinery/patch/json-patch.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { internalError } from '../../apimachinery/status/status-catalogue.ts';
import { cloneJson, type JsonObject } from '../../base/json-value.ts';
import type { LiteralObject } from '../../cel/runtime/constructors.ts';
import type { Value } from '../../cel/values.ts';
import { converterText } from '../../server/endpoints/decode/converter-text.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import { decodeMutated } from '../decode-mutated.ts';
import { atomicsOf, configurationProblem, objectProblem } from './configuration-issues.ts';
import type { PolicyMutation } from './mutating-policy.ts';
import { patchOfValue, typeMismatch } from './mutation-values.ts';
import { nativeValue } from './native-value.ts';

/** The object that a mutation changes, in the version in which the policy sees it. */
export interface MutationTarget {
  readonly object: JsonObject;
  readonly version: VersionDefinition;
  /** Whether the OpenAPI document of the version has the kind. Those of subresources and connections often lack it. */
  readonly hasType: boolean;
  /** The version of the request. */
  readonly requested: VersionDefinition;
}

/** The changed copy with defaults, or why the mutation fails; the failure policy decides then. */
export type MutationResult = { readonly object: JsonObject } | { readonly error: string };

/**
 * Applies the value of the expression to a copy of the object, which has this version. Throws the 500 of a patched
 * object that cannot be decoded, which no failure policy ignores.
 */
export function applyMutation({ patchType }: PolicyMutation, value: Value, target: MutationTarget): MutationResult {
  const { version, requested } = target;
  const result = patchType === 'JSONPatch' ? patched(value, target) : applied(value, target);
  if ('error' in result) return result;
  // kube-apiserver cannot convert the result where a rule matches another version of a built-in kind.
  if (version !== requested && version.unstructured !== true)
    return { error: `converting (${goType(version)}) to (${goType(requested)}): unknown conversion` };
  version.setDefaults?.(result.object);
  return result;
}

function goType({ version, kind }: VersionDefinition): string {
  return `${version}.${kind}`;
}

function patched(value: Value, { object, version }: MutationTarget): MutationResult {
  const patch = patchOfValue(value);
  if ('error' in patch) return patch;
  const result = applyJsonPatch(cloneJson(object), patch.json);
  if (!result.ok) {
    const { testFailed, message } = result.error;
    return testFailed === true ? { object: cloneJson(object) } : { error: `JSON Patch: ${message}` };
  }
  const decoded = decodeMutated(result.value, version, 'Strict');
  if ('error' in decoded) throw new StatusError(internalError(decoded.error));
  return decoded;
}

function applied(value: Value, { object, version, hasType }: MutationTarget): MutationResult {
  const mismatch = typeMismatch(value as LiteralObject);
  if (mismatch !== undefined) return { error: mismatch };
  if (!hasType)
    return failedApply(
      'failed to convert patch object to typed object',
      `no corresponding type for ${formatGvk(version)}`,
    );
  const native = nativeValue(value as LiteralObject);
  if (native.json === null) return { error: 'invalid return type: *dynamic.ObjectVal' };
  const configuration = { ...(native.json as JsonObject), kind: version.kind, apiVersion: formatGroupVersion(version) };
  const type = mergeTypeOf(version.type());
  const problem = configurationProblem({ ...native, json: configuration }, type);
  if (problem !== undefined) return failedApply('failed to convert patch object to typed object', problem);
  const atomics = atomicsOf(configuration, type);
  if (atomics.length > 0)
    return failedApply('invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs', atomics.join(', '));
  const live = objectProblem(object, type, { allowDuplicates: true });
  if (live !== undefined) return failedApply('failed to convert original object to typed object', live);
  const merged = cloneJson(mergeTyped(object, configuration, type) as JsonObject);
  if (version.unstructured === true) return { object: merged };
  const decoded = decodeMutated(merged, version, 'Ignore');
  if ('object' in decoded) return decoded;
  const text = converterText(decoded.error);
  const shown = text.startsWith('illegal base64') ? `error decoding from json: ${text}` : text;
  return { error: `unable to convert unstructured object to ${formatGvk(version)}: ${shown}` };
}

function failedApply(what: string, why: string): MutationResult {
  return { error: `error applying patch: ${what}: ${why}` };
}
