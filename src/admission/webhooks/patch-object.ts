/** The patch in the answer of a mutating webhook, applied to the object of the request. */
import { decodeStrictJson } from '../../apimachinery/codec/strict.ts';
import { quote } from '../../apimachinery/go-format.ts';
import { applyJsonPatch } from '../../apimachinery/patch/json-patch.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { internalError } from '../../apimachinery/status/status-catalogue.ts';
import { cloneJson, equalJson, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import { decodeMutated } from '../decode-mutated.ts';
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
    throw new CallFailure(webhook, `unsupported patch type ${quote(response.patchType)}`, 400);
  const patched = applyJsonPatch(cloneJson(object), patch);
  if (!patched.ok) throw failed(patched.error.message);
  const decoded = decodeMutated(patched.value, version, 'Ignore');
  if ('error' in decoded) throw failed(decoded.error);
  const changed = !equalJson(decoded.object, object);
  version.setDefaults?.(decoded.object);
  return { object: decoded.object, changed, patch };
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

function failed(message: string): StatusError {
  return new StatusError(internalError(message));
}
