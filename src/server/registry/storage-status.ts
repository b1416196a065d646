/** Maps failures of storage to the Status that a client gets. */

import type { GroupResource } from '../../apimachinery/meta/gvk.ts';
import { isStatusError, StatusError } from '../../apimachinery/status/status.ts';
import {
  badRequest,
  forbidden,
  internalError,
  requestEntityTooLarge,
  serverTimeout,
  serviceUnavailable,
} from '../../apimachinery/status/status-catalogue.ts';
import { toError } from '../../base/errors.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import { isStorageError } from '../../storage/errors.ts';

/** The Retry-After, in seconds, of a 500 for an unavailable storage, as in kube-apiserver. */
const RETRY_AFTER = 2;

/** Returns the StatusError for a StorageError. Returns any other error unchanged. */
export function storageFailure(caught: unknown, resource: GroupResource, verb: string): Error {
  if (isStatusError(caught) || !isStorageError(caught)) return toError(caught);
  const options = { cause: caught };
  switch (caught.code) {
    case 'Closed':
      return new StatusError(serviceUnavailable('the server is shutting down'), options);
    case 'Unavailable':
    case 'Unknown':
      return new StatusError(serverTimeout(resource, verb, RETRY_AFTER), options);
    case 'ReadOnly':
      return new StatusError(forbidden(resource, '', caught.message), options);
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

/** Runs a task and turns the StorageErrors that it throws or rejects with into StatusErrors. */
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
