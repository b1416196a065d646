/** The AdmissionReview that is sent to a webhook, and the one that it answers with. */
import { decodeStrictJson, decodeStrictYaml } from '../../apimachinery/codec/strict.ts';
import { quote } from '../../apimachinery/go-format.ts';
import { cannotUnmarshal } from '../../apimachinery/go-json.ts';
import { formatGvk, gvkOf } from '../../apimachinery/meta/gvk.ts';
import { flagAt, objectAt, textAt, textsAt } from '../../apimachinery/meta/object-fields.ts';
import { decodeBase64 } from '../../base/base64.ts';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { OutboundAnswer } from '../../server/http/outbound.ts';
import { admissionRequestOf } from '../admission-request.ts';
import type { ViewedObjects } from '../matching/expression-input.ts';
import type { HookView } from '../matching/match-index.ts';
import type { ReviewVersion } from './webhook.ts';

const GROUP = 'admission.k8s.io';

export interface AdmissionResponse {
  readonly allowed: boolean;
  /** The Status of a refusal; undefined for none. */
  readonly result: JsonObject | undefined;
  /** The JSON patch as bytes; undefined for none. */
  readonly patch: Uint8Array | undefined;
  readonly patchType: string;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** `message`: why the answer is not accepted, in kube-apiserver's words. */
export type ReadResponse =
  | { readonly ok: true; readonly response: AdmissionResponse }
  | { readonly ok: false; readonly message: string };

/** Returns the body of the call. */
export function encodeReview(
  version: ReviewVersion,
  uid: string,
  attributes: AdmissionAttributes,
  view: HookView,
  { object, oldObject }: ViewedObjects,
): Uint8Array {
  const { dryRun, options, ...request } = admissionRequestOf(attributes, view);
  const review = {
    kind: 'AdmissionReview',
    apiVersion: `${GROUP}/${version}`,
    request: {
      uid,
      ...request,
      object: object ?? null,
      oldObject: oldObject ?? null,
      dryRun: dryRun ?? false,
      options: options ?? null,
    },
  };
  return encodeUtf8(writeJson(review));
}

export interface ExpectedResponse {
  readonly version: ReviewVersion;
  readonly uid: string;
  /** Whether a patch is allowed. */
  readonly mutating: boolean;
}

/** The type that the reference decodes the version and kind of an answer into. */
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
/** Longer answers that do not begin with a brace are not read as YAML. */
const YAML_BYTES = 3 * 1024 * 1024;

/** Decodes the answer of a webhook: JSON, or YAML if it does not begin with a brace. Returns the problem as text. */
export function readReview({ status, body, contentType = 'application/json' }: OutboundAnswer): JsonObject | string {
  if (body.length === 0) return `0-length response with status code: ${status} and content type: ${contentType}`;
  const options = { fieldValidation: 'Ignore' } as const;
  const isJson = /^\s*\{/.test(decodeUtf8(body.subarray(0, 64))) || body.length > YAML_BYTES;
  const read = isJson ? decodeStrictJson(body, options) : decodeStrictYaml(body, options);
  if (!read.ok) return `couldn't get version/kind; json parse error: ${read.error.message}`;
  if (isJsonObject(read.value)) return read.value;
  return `couldn't get version/kind; json parse error: ${cannotUnmarshal(read.value, `Go value of type ${TYPE_META}`)}`;
}

/**
 * The problem of an answer in the other known version of AdmissionReview, which the reference does not convert. Other
 * kinds are the concern of `readResponse`.
 */
export function versionProblem(review: JsonObject, version: ReviewVersion): string | undefined {
  const other: ReviewVersion = version === 'v1' ? 'v1beta1' : 'v1';
  if (textAt(review, 'kind') !== 'AdmissionReview' || textAt(review, 'apiVersion') !== `${GROUP}/${other}`)
    return undefined;
  return `converting (${other}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`;
}

/** Reads the response of a review. Only reviews in v1 must name the uid and the kind of the request. */
export function readResponse(review: JsonObject, expected: ExpectedResponse): ReadResponse {
  const response = getField(review, 'response');
  if (!isJsonObject(response)) return refuse('webhook response was absent');
  const { version, uid, mutating } = expected;
  const patch = patchOf(response);
  if (patch === 'malformed') return refuse('response.patch is not base64');
  const patchType = getField(response, 'patchType');
  if (version === 'v1') {
    const problem = uidProblem(response, uid) ?? kindProblem(review) ?? patchProblem(mutating, patch, patchType);
    if (problem !== undefined) return refuse(problem);
  }
  return {
    ok: true,
    response: {
      allowed: flagAt(response, 'allowed'),
      result: objectAt(response, 'status'),
      patch: mutating ? patch : undefined,
      // The type was not verified in v1beta1.
      patchType: version === 'v1' && typeof patchType === 'string' ? patchType : 'JSONPatch',
      warnings: textsAt(response, 'warnings'),
      auditAnnotations: textsOf(objectAt(response, 'auditAnnotations')),
    },
  };
}

function refuse(message: string): ReadResponse {
  return { ok: false, message };
}

function patchOf(response: JsonObject): Uint8Array | 'malformed' | undefined {
  const text = textAt(response, 'patch');
  if (text === '') return undefined;
  return decodeBase64(text) ?? 'malformed';
}

function uidProblem(response: JsonObject, uid: string): string | undefined {
  const answered = textAt(response, 'uid');
  return answered === uid ? undefined : `expected response.uid=${quote(uid)}, got ${quote(answered)}`;
}

function kindProblem(review: JsonObject): string | undefined {
  const expected = { group: GROUP, version: 'v1', kind: 'AdmissionReview' };
  const answered = formatGvk(gvkOf(textAt(review, 'apiVersion'), textAt(review, 'kind')));
  if (answered === formatGvk(expected)) return undefined;
  return `expected webhook response of ${formatGvk(expected)}, got ${answered}`;
}

/** A mutating webhook sends a patch together with its type; a validating one sends neither. */
function patchProblem(
  mutating: boolean,
  patch: Uint8Array | undefined,
  patchType: JsonValue | undefined,
): string | undefined {
  const hasType = patchType !== undefined && patchType !== null;
  if (!mutating) {
    if (patch !== undefined) return 'validating webhook may not return response.patch';
    return hasType ? 'validating webhook may not return response.patchType' : undefined;
  }
  if (patch !== undefined && !hasType) return 'webhook returned response.patch but not response.patchType';
  if (patch === undefined && hasType) return 'webhook returned response.patchType but not response.patch';
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

function textsOf(object: JsonObject | undefined): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [key, value] of Object.entries(object ?? {})) if (typeof value === 'string') texts[key] = value;
  return texts;
}
