/** The errors of requests that a webhook refuses, or that are refused because it cannot be called. */
import { quote } from '../../apimachinery/go-format.ts';
import { numberAt, objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { type Status, type StatusDetails, StatusError } from '../../apimachinery/status/status.ts';
import { badRequest, internalError, timeout } from '../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { CallFailure } from './call-webhook.ts';

/**
 * Returns the Status that the webhook gave, with the name of the webhook before the message. The code is at least 400,
 * and the status is Failure.
 */
export function refusalOf(webhook: string, result: JsonObject = {}): StatusError {
  const code = Number(numberAt(result, 'code'));
  const reason = textAt(result, 'reason');
  const text = textAt(result, 'message') || reason;
  const denied = `admission webhook ${quote(webhook)} denied the request`;
  const details = objectAt(result, 'details');
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: objectAt(result, 'metadata') ?? {},
    status: 'Failure',
    message: text === '' ? `${denied} without explanation` : `${denied}: ${text}`,
    ...(reason !== '' && { reason }),
    ...(details && { details: details as StatusDetails }),
    code: code < 400 ? 400 : code,
  };
  return new StatusError(status);
}

/** Returns the refusal of a dry run that the webhook does not support. */
export function dryRunRefusal(webhook: string): StatusError {
  return new StatusError(badRequest(`admission webhook ${quote(webhook)} does not support dry run`));
}

/** Returns the refusal because of a webhook that cannot be called and whose failure policy is Fail. */
export function failureRefusal(failure: CallFailure): StatusError {
  return new StatusError(internalError(failure.message), { cause: failure });
}

/** Returns the refusal of a request whose time is over. */
export function timeoutRefusal(): StatusError {
  return new StatusError(timeout('request did not complete within requested timeout', 0));
}
