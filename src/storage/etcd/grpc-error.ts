/**
 * Recognises etcd's failures among the errors of gRPC calls and maps them to StorageError. The messages are those of
 * etcd's `rpctypes`.
 */
import { toError } from '../../base/errors.ts';
import { GRPC, type GrpcProgress, grpcProgress, isGrpcError } from '../../base/grpc.ts';
import { StorageError } from '../errors.ts';

const COMPACTED = 'required revision has been compacted';
const FUTURE = 'required revision is a future revision';
const LEASE_NOT_FOUND = 'requested lease not found';
const NO_SPACE = 'database space exceeded';
const TOO_LARGE = 'request is too large';

/** etcd's messages for calls that it refuses before it proposes them to the cluster. */
const REFUSALS = [
  'no leader',
  'too many requests',
  'not capable',
  'unhealthy cluster',
  'rpc not supported for learner',
];

/** Returns the progress of a call that etcd answered with this status. */
export function progressOf(code: number, message: string): GrpcProgress {
  return REFUSALS.some((refusal) => message.includes(refusal)) ? 'refused' : grpcProgress(code);
}

export function isCompacted(error: unknown): boolean {
  return isGrpcError(error) && error.message.includes(COMPACTED);
}

export function isFuture(error: unknown): boolean {
  return isGrpcError(error) && error.message.includes(FUTURE);
}

export function isLeaseNotFound(error: unknown): boolean {
  return isGrpcError(error) && error.message.includes(LEASE_NOT_FOUND);
}

/** Whether the call failed because of the member, so that another member may answer it. */
export function isMemberFailure(error: unknown): boolean {
  return isGrpcError(error) && (error.code === GRPC.unavailable || error.code === GRPC.deadlineExceeded);
}

export interface FailedCall {
  /** Whether the call writes. A write with an unknown outcome becomes `Unknown`, a read `Unavailable`. */
  readonly isWrite: boolean;
  readonly key?: string;
}

/** Turns a GrpcError into a StorageError. Other errors are returned as they are. */
export function toStorageError(caught: unknown, { isWrite, key }: FailedCall): Error {
  if (!isGrpcError(caught)) return toError(caught);
  const { code, message } = caught;
  const options = { cause: caught, ...(key !== undefined && { key }) };
  if (message.includes(NO_SPACE))
    return new StorageError('NoSpace', `etcd has reached its space quota: ${message}`, options);
  if (message.includes(TOO_LARGE)) return new StorageError('InvalidArgument', `etcd: ${message}`, options);
  if (code === GRPC.dataLoss) return new StorageError('Corrupt', `etcd: ${message}`, options);
  if (code === GRPC.permissionDenied || code === GRPC.unauthenticated)
    return new StorageError('ReadOnly', `etcd does not allow it: ${message}`, options);
  const isUnknown = isWrite && caught.progress === 'unknown';
  return new StorageError(isUnknown ? 'Unknown' : 'Unavailable', `etcd: ${message}`, options);
}
