/**
 * Conversion by a webhook. Invariant: the result is the same object in another version. Kind, name, namespace and uid
 * are compared with the original; labels and annotations may change; all other metadata is restored. Any other change
 * is an error for the client.
 */
import { postReview, type WebhookHost } from '../../admission/post-review.ts';
import { decodeStrictJson } from '../../apimachinery/codec/strict.ts';
import { formatGroupVersion } from '../../apimachinery/meta/gvk.ts';
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { unknown } from '../../apimachinery/status/status-catalogue.ts';
import { formatIssues } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { validateLabels } from '../../apimachinery/validation/label-syntax.ts';
import { validateAnnotations } from '../../apimachinery/validation/validate-object-meta.ts';
import { decodeBase64 } from '../../base/base64.ts';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { toError } from '../../base/errors.ts';
import { cloneJson, getField, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import type { Crd, CrdWebhook } from '../crd.ts';
import type { Converter } from './custom-converter.ts';

/** The timeout of kube-apiserver. */
const TIMEOUT_SECONDS = 30;
const REVIEW_GROUP = 'apiextensions.k8s.io';

/** A webhook converts a batch as a whole or not at all. */
export interface WebhookConverter extends Converter {
  convert(objects: readonly JsonObject[], from: string, to: string): Promise<readonly JsonObject[]>;
}

/** Returns the converter of a definition whose strategy is Webhook. */
export function webhookConverter(crd: Crd, webhook: CrdWebhook, host: WebhookHost): WebhookConverter {
  const { group, names } = crd;
  return {
    convert: async (objects, from, to) => {
      // The notation of a kind in kube-apiserver's messages.
      const kind = `${group}/${from}, Kind=${names.kind}`;
      const desired = formatGroupVersion({ group, version: to });
      let converted: readonly JsonValue[];
      try {
        converted = await callWebhook(webhook, host, objects, desired);
      } catch (caught) {
        const { message } = toError(caught);
        throw failed(`conversion webhook for ${kind} failed: ${message.slice(0, MESSAGE_LENGTH)}`);
      }
      if (converted.length !== objects.length)
        throw failed(`conversion webhook for ${kind} returned ${converted.length} objects, expected ${objects.length}`);
      return objects.map((original, i) => {
        const outcome = accept(original, converted[i] as JsonValue, desired);
        if (typeof outcome !== 'string') return outcome;
        const place = objects.length === 1 ? 'object' : `converted object at index ${i}`;
        throw failed(`conversion webhook for ${kind} returned invalid ${place}: ${outcome.slice(0, MESSAGE_LENGTH)}`);
      });
    },
  };
}

/** An error that kube-apiserver reports as a 500 without a reason. */
function failed(message: string): StatusError {
  return new StatusError(unknown(message));
}

async function callWebhook(
  webhook: CrdWebhook,
  host: WebhookHost,
  objects: readonly JsonObject[],
  desired: string,
): Promise<readonly JsonValue[]> {
  const version = webhook.conversionReviewVersions.find((name) => name === 'v1' || name === 'v1beta1');
  if (version === undefined) throw failed('no supported conversion review versions');
  const uid = host.newUid();
  const review = {
    kind: 'ConversionReview',
    apiVersion: `${REVIEW_GROUP}/${version}`,
    request: { uid, desiredAPIVersion: desired, objects: [...objects] },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  };
  const answer = await postReview(host, {
    address: webhook.service ?? webhook.url ?? '',
    ca: pemOf(webhook.caBundle),
    body: encodeUtf8(writeJson(review)),
    timeoutMs: TIMEOUT_SECONDS * 1000,
  });
  if (answer.status < 200 || answer.status > 299) throw failed(refusal(answer.status, answer.body));
  return convertedObjects(answer.body, version, uid);
}

/** Empty only for an empty bundle: the client then trusts the authorities of the system. */
function pemOf(caBundle: string): string {
  const bytes = decodeBase64(caBundle);
  if (bytes === undefined) throw failed('unable to load root certificates: the caBundle is not base64');
  return decodeUtf8(bytes);
}

const SHOWN_BYTES = 2048;
const STATUS_BYTES = 256 * 1024;
/** The maximum length of a webhook's message, which goes to clients and into logs. */
const MESSAGE_LENGTH = 16 * 1024;

/** Returns the message of an answer that is not a review: that of a Status, or the first bytes of the body. */
function refusal(status: number, body: Uint8Array): string {
  const text = decodeUtf8(body.subarray(0, SHOWN_BYTES)).trim();
  // A Status is small. Larger bodies are not parsed.
  const read = decodeStrictJson(body.subarray(0, STATUS_BYTES), { fieldValidation: 'Ignore' });
  const message = read.ok && isJsonObject(read.value) ? getField(read.value, 'message') : undefined;
  if (typeof message === 'string' && message !== '') return message;
  return `an error on the server (${JSON.stringify(text === '' ? 'unknown' : text)}) has prevented the request from succeeding (status ${status})`;
}

/**
 * Returns the objects of a successful review. Throws a StatusError with kube-apiserver's message for any other answer.
 */
function convertedObjects(body: Uint8Array, version: string, uid: string): readonly JsonValue[] {
  const read = decodeStrictJson(body, { fieldValidation: 'Ignore' });
  if (!read.ok) throw failed(`couldn't get version/kind; json parse error: ${read.error.message}`);
  const review = read.value;
  if (!isJsonObject(review)) throw failed('the answer is not an object');
  const expected = `${REVIEW_GROUP}/${version}`;
  const apiVersion = textAt(review, 'apiVersion');
  const kind = textAt(review, 'kind');
  if (version === 'v1' && (apiVersion !== expected || kind !== 'ConversionReview'))
    throw failed(`expected webhook response of ${expected}, Kind=ConversionReview, got ${apiVersion}, Kind=${kind}`);
  const response = getField(review, 'response');
  if (!isJsonObject(response)) throw failed('no response provided');
  const answered = textAt(response, 'uid');
  if (version === 'v1' && answered !== uid)
    throw failed(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered)}`);
  const status = textAt(response, 'result', 'status');
  if (status !== 'Success') {
    const message = textAt(response, 'result', 'message');
    throw failed(message === '' ? `response.result.status was '${status}', not 'Success'` : message);
  }
  const objects = getField(response, 'convertedObjects') ?? [];
  if (!Array.isArray(objects)) throw failed('response.convertedObjects is not a list');
  return objects;
}

/** Returns the converted object with the metadata of the original, or the problem with it. */
function accept(original: JsonObject, converted: JsonValue, desired: string): JsonObject | string {
  if (!isJsonObject(converted)) return 'not an object';
  const apiVersion = textAt(converted, 'apiVersion');
  if (apiVersion !== desired) return `invalid groupVersion (expected ${desired}, received ${apiVersion})`;
  const [kind, newKind] = [textAt(original, 'kind'), textAt(converted, 'kind')];
  if (kind !== newKind) return `invalid kind (expected ${kind}, received ${newKind})`;
  const metadata = getField(converted, 'metadata');
  if (metadata === undefined) return 'missing metadata in converted object';
  if (!isJsonObject(metadata)) return 'invalid metadata in converted object';
  const before = original['metadata'] as JsonObject;
  for (const [field, title] of IDENTITY) {
    const [old, now] = [textAt(before, field), textAt(metadata, field)];
    if (old !== now) return `must have the same ${title}: ${old} != ${now}`;
  }
  const restored = cloneJson(before);
  for (const field of ['labels', 'annotations'] as const) {
    const problem = takeOver(restored, metadata, field);
    if (problem !== undefined) return problem;
  }
  converted['metadata'] = restored;
  return converted;
}

const IDENTITY: readonly (readonly [field: string, title: string])[] = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
];

/** Takes labels or annotations from the converted object. Returns the problem if they are invalid. */
function takeOver(restored: JsonObject, metadata: JsonObject, field: 'labels' | 'annotations'): string | undefined {
  const given = getField(metadata, field) ?? null;
  if (given === null) {
    delete restored[field];
    return undefined;
  }
  if (!isJsonObject(given)) return `invalid metadata.${field} in converted object`;
  for (const [key, value] of Object.entries(given))
    if (typeof value !== 'string') return `metadata.${field}[${key}] must be a string in converted object`;
  const texts = given as Record<string, string>;
  const issues =
    field === 'labels'
      ? validateLabels(texts, FieldPath.of('metadata', 'labels'))
      : validateAnnotations(texts, FieldPath.of('metadata', 'annotation'));
  if (issues.length > 0) return formatIssues(issues);
  restored[field] = given;
  return undefined;
}
