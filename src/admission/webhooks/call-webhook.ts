/**
 * Calls of webhooks. Every failure is a CallFailure, to which the failure policy of the webhook applies; a refusal by
 * the webhook is an answer.
 */
import { decodeStrictJson } from '../../apimachinery/codec/strict.ts';
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { genericServerResponse } from '../../apimachinery/status/status-catalogue.ts';
import { decodeUtf8 } from '../../base/bytes.ts';
import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json-value.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { ViewedObjects } from '../matching/expression-input.ts';
import type { HookView } from '../matching/match-index.ts';
import { type CallCredentials, postReview, type WebhookHost } from '../post-review.ts';
import { credentialTarget, type WebhookCredentials } from '../webhook-credentials.ts';
import { type AdmissionResponse, encodeReview, readResponse, readReview, versionProblem } from './admission-review.ts';
import type { Webhook } from './webhook.ts';

export interface WebhookCall {
  readonly webhook: Webhook;
  readonly view: HookView;
  readonly objects: ViewedObjects;
  /** Whether a patch is allowed. */
  readonly mutating: boolean;
}

/** A webhook that could not be called, or whose answer is not an AdmissionReview. */
export class CallFailure extends Error {
  override readonly name: string = 'CallFailure';
  /** The HTTP status of the answer. 503 without one, as in the metrics of kube-apiserver. */
  readonly code: number;

  /** `reason` follows the name of the webhook in the message. */
  constructor(webhook: Webhook, reason: string, code = 503) {
    super(`failed calling webhook ${JSON.stringify(webhook.name)}: ${reason}`);
    this.code = code;
  }
}

/** The bytes of a body that is not a Status which are shown. */
const SHOWN_BYTES = 2048;
/** A Status is small. Larger bodies are not parsed. */
const STATUS_BYTES = 256 * 1024;

/** Calls the webhook. Rejects with CallFailure. */
export async function callWebhook(
  host: WebhookHost & { readonly clock: Clock; readonly credentials?: WebhookCredentials | undefined },
  attributes: AdmissionAttributes,
  { webhook, view, objects, mutating }: WebhookCall,
): Promise<AdmissionResponse> {
  const version = webhook.reviewVersion;
  if (version === undefined)
    throw new CallFailure(
      webhook,
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
      400,
    );
  const { ca } = webhook;
  if (ca === undefined)
    throw new CallFailure(
      webhook,
      'could not get REST client: unable to load root certificates: the caBundle is not base64',
      500,
    );
  const credentials = host.credentials && (await credentialsOf(host.credentials, webhook));
  const uid = host.newUid();
  const body = encodeReview(version, uid, attributes, view, objects);
  const timeoutMs = Math.min(webhook.timeoutSeconds * 1000, attributes.deadline - host.clock.monotonic());
  if (timeoutMs <= 0) throw new CallFailure(webhook, 'failed to call webhook: context deadline exceeded');
  const timeoutText = 'context deadline exceeded';
  const call = { address: webhook.address, ca, body, timeoutMs, timeoutText, credentials };
  const answer = await postReview(host, call).catch((caught: unknown) => {
    throw new CallFailure(webhook, `failed to call webhook: ${toError(caught).message}`);
  });
  if (answer.status < 200 || answer.status > 299)
    throw new CallFailure(webhook, `failed to call webhook: ${messageOf(answer.status, answer.body)}`, answer.status);
  const review = readReview(answer);
  if (typeof review === 'string') throw new CallFailure(webhook, `failed to call webhook: ${review}`);
  const problem = versionProblem(review, version);
  if (problem !== undefined) throw new CallFailure(webhook, `failed to call webhook: ${problem}`);
  const read = readResponse(review, { version, uid, mutating });
  if (!read.ok) throw new CallFailure(webhook, `received invalid webhook response: ${read.message}`);
  return read.response;
}

async function credentialsOf(credentials: WebhookCredentials, webhook: Webhook): Promise<CallCredentials | undefined> {
  try {
    return await credentials(credentialTarget(webhook.address));
  } catch (caught) {
    throw new CallFailure(webhook, `could not get REST client: ${toError(caught).message}`, 500);
  }
}

/** Returns the message of an answer that is not a review: that of a Status, or one that quotes the body. */
function messageOf(code: number, body: Uint8Array): string {
  const read = decodeStrictJson(body.subarray(0, STATUS_BYTES), { fieldValidation: 'Ignore' });
  if (read.ok && isJsonObject(read.value) && textAt(read.value, 'kind') === 'Status') {
    const message = textAt(read.value, 'message');
    if (message !== '') return message;
  }
  const serverMessage = decodeUtf8(body.subarray(0, SHOWN_BYTES)).trim();
  return genericServerResponse({ code, verb: 'POST', serverMessage }).message ?? '';
}
