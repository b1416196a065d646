/** The patch in the answer of a mutating webhook, applied to the object of the request. */
import { decodeStrictJson } from '../../apimachinery/codec/strict.ts';
import { pruneUnknownFields } from '../../apimachinery/codec/unknown-fields.ts';
import { quote } from '../../apimachinery/go-format.ts';
import { formatGroupVersion } from '../../apimachinery/meta/gvk.ts';
import { applyJsonPatch } from '../../apimachinery/patch/json-patch.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { internalError } from '../../apimachinery/status/status-catalogue.ts';
import { cloneJson, equalJson, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import type { AdmissionResponse } from './admission-review.ts';
import { CallFailure } from './call-webhook.ts';
import type { Webhook } from './webhook.ts';

export interface PatchedObject {
  /** Normalized, with defaults. */
  readonly object: JsonObject;
  /** Whether the patch itself changed something. */
  readonly changed: boolean;
  /** The decoded patch, for the audit event. */
  readonly patch: JsonValue;
}

/**
 * Applies the patch to a copy of the object, which has this version. Returns undefined if there is no patch. Throws
 * CallFailure for a patch that cannot be read, and a 500 for one that cannot be applied.
 */
export function applyWebhookPatch(
  webhook: Webhook,
  response: AdmissionResponse,
  object: JsonObject | undefined,
  version: VersionDefinition,
): PatchedObject | undefined {
  const patch = patchOf(webhook, response);
  if (patch === undefined) return undefined;
  if (object === undefined)
    throw failed(
      `admission webhook ${quote(webhook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  if (response.patchType !== 'JSONPatch')
    throw new CallFailure(webhook, `unsupported patch type ${quote(response.patchType)}`);
  const patched = applyJsonPatch(cloneJson(object), patch);
  if (!patched.ok) throw failed(patched.error.message);
  if (!isJsonObject(patched.value)) throw failed('the patched object is not an object');
  const decoded = decode(patched.value, version);
  const changed = !equalJson(decoded, object);
  version.setDefaults?.(decoded);
  return { object: decoded, changed, patch };
}

/** Returns the decoded patch; undefined if it has no operation. */
function patchOf(webhook: Webhook, { patch }: AdmissionResponse): JsonValue | undefined {
  if (patch === undefined) return undefined;
  const read = decodeStrictJson(patch, { fieldValidation: 'Ignore' });
  const problem = read.ok ? (Array.isArray(read.value) ? undefined : NOT_A_LIST) : read.error.message;
  if (problem !== undefined)
    throw new CallFailure(webhook, `received undecodable patch in webhook response: ${problem}`);
  return read.ok && Array.isArray(read.value) && read.value.length > 0 ? read.value : undefined;
}

const NOT_A_LIST = 'json: cannot unmarshal object into Go value of type jsonpatch.Patch';

/** Built-in kinds are decoded into their type, which drops unknown fields. Others keep them until they are stored. */
function decode(patched: JsonObject, version: VersionDefinition): JsonObject {
  if (version.unstructured === true) return patched;
  pruneUnknownFields(patched, version.type());
  patched['kind'] = version.kind;
  patched['apiVersion'] = formatGroupVersion(version);
  const normalized = version.normalize(patched);
  if (!normalized.ok) throw failed(normalized.message);
  return normalized.object;
}

function failed(message: string): StatusError {
  return new StatusError(internalError(message));
}
