/** Answers from statuses and errors. Invariant: whatever goes wrong becomes a Status; what is no fault of the client tells nothing about the inside. */

import { type Status, statusOf } from '../apimachinery/status/status.ts';
import { internalError } from '../apimachinery/status/status-catalogue.ts';
import { toError } from '../base/errors.ts';
import type { JsonObject } from '../base/json-value.ts';
import { writeJsonBytes } from '../base/json-write.ts';
import type { Answer } from './exchange.ts';
import type { ServerRequest } from './request.ts';

const JSON_TYPE = 'application/json';

/** A Status, in the form that the request accepts. */
export function statusAnswer(_request: ServerRequest | undefined, status: Status): Answer {
  return {
    kind: 'bytes',
    status: status.code ?? 500,
    headers: { 'cache-control': 'no-cache, private', 'content-type': JSON_TYPE },
    body: writeJsonBytes(status as unknown as JsonObject),
  };
}

/** The Status that an error carries, or a 500 that names its message. */
export function statusOfError(error: unknown): Status {
  return statusOf(error) ?? internalError(toError(error).message);
}
