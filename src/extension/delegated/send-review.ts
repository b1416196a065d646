/**
 * Sends a TokenReview or SubjectAccessReview to the parent, with a time limit and with the retries of k8s.io/apiserver
 * (`DefaultAuthWebhookRetryBackoff`, `DefaultShouldRetry`).
 */
import {
  isInternalError,
  isTimeout,
  isTooManyRequests,
  suggestedDelaySeconds,
} from '../../apimachinery/status/status.ts';
import { type BackoffPolicy, backoffDelay } from '../../base/backoff.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { isTransportError } from '../../base/errors.ts';
import type { Client } from '../../client/api.ts';
import type { Stored } from '../../client/object-types.ts';
import { timedCall } from '../../client/timed-call.ts';
import type { Kind } from '../../kinds/kind.ts';

export interface ReviewSender {
  readonly client: Client;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
}

const BACKOFF: BackoffPolicy = { initialMs: 500, capMs: 10_000, factor: 1.5, jitter: 0.2 };
const ATTEMPTS = 5;
/** The time limit of one review with all its attempts, as in k8s.io/apiserver. */
const TIMEOUT_MS = 10_000;

/** Creates a review and resolves with the answer. Rejects with the failure of the last attempt. */
export function sendReview<T>(
  { client, clock, random }: ReviewSender,
  kind: Kind<T, 'Cluster'>,
  review: Parameters<ReturnType<Client['api']>['create']>[0],
): Promise<Stored<T>> {
  return timedCall({ clock, timeoutMs: TIMEOUT_MS }, async (signal) => {
    for (let failures = 0; ; failures++) {
      try {
        return await client.api(kind).create(review as Parameters<ReturnType<typeof client.api<T>>['create']>[0], {
          signal,
        });
      } catch (caught) {
        if (failures + 1 >= ATTEMPTS || !isTransient(caught)) throw caught;
      }
      await sleep(clock, backoffDelay(BACKOFF, failures, random()), { signal });
    }
  });
}

function isTransient(error: unknown): boolean {
  if (isTransportError(error)) return error.connectionLost;
  return (
    isInternalError(error) || isTimeout(error) || isTooManyRequests(error) || suggestedDelaySeconds(error) !== undefined
  );
}
