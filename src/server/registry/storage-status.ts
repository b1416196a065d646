/** Failures of storage as answers. Invariant: a client learns what it can do about a failure and nothing about the inside. */

import type { GroupResource } from '../../apimachinery/meta/gvk.ts';
import { isStatusError, StatusError } from '../../apimachinery/status/status.ts';
import {
  badRequest,
  internalError,
  requestEntityTooLarge,
  serverTimeout,
  serviceUnavailable,
} from '../../apimachinery/status/status-catalogue.ts';
import { toError } from '../../base/errors.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import { isStorageError } from '../../storage/errors.ts';

/** Seconds, as the reference suggests after an unreachable store. */
const RETRY_AFTER = 2;

/** The error to throw instead: StatusErrors pass, failures of storage become one, everything else stays what it is. */
export function storageFailure(caught: unknown, resource: GroupResource, verb: string): Error {
  if (isStatusError(caught) || !isStorageError(caught)) return toError(caught);
  const options = { cause: caught };
  switch (caught.code) {
    case 'Closed':
      return new StatusError(serviceUnavailable('the server is shutting down'), options);
    case 'Unavailable':
    case 'Unknown':
      return new StatusError(serverTimeout(resource, verb, RETRY_AFTER), options);
    case 'InvalidArgument':
      return new StatusError(
        isWrite(verb) ? requestEntityTooLarge(caught.message) : badRequest(caught.message),
        options,
      );
    default:
      return new StatusError(internalError(caught.message), options);
  }
}

function isWrite(verb: string): boolean {
  return verb === 'create' || verb === 'update';
}

/** Runs a part of a request; failures of storage come out as statuses. */
export function answering<T>(resource: GroupResource, verb: string, task: () => MaybePromise<T>): MaybePromise<T> {
  let result: MaybePromise<T>;
  try {
    result = task();
  } catch (caught) {
    throw storageFailure(caught, resource, verb);
  }
  if (!isPromise(result)) return result;
  return result.catch((caught: unknown) => {
    throw storageFailure(caught, resource, verb);
  });
}
