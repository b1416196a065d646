/** The failures of gRPC calls, and their mapping to StorageError. Codes and messages are those of etcd's `rpctypes`. */
import { errorClass, KeelsonError } from '../../base/errors.ts';
import { StorageError } from '../errors.ts';

/** The codes of gRPC that matter here (grpc/grpc `doc/statuscodes.md`). */
export const GRPC = {
  ok: 0,
  canceled: 1,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const;

/**
 * How far a call got.
 * - `refused`: the server did not carry it out. It can be repeated, also on another member.
 * - `unknown`: the server may have carried it out, or may still do so.
 */
export type Progress = 'refused' | 'unknown';

export class GrpcError extends KeelsonError {
  readonly code: number;
  readonly progress: Progress;

  constructor(code: number, message: string, options: { progress: Progress; cause?: unknown }) {
    super('TransportError', message, { cause: options.cause, retryable: code === GRPC.unavailable });
    this.code = code;
    this.progress = options.progress;
  }
}

export function isGrpcError(value: unknown): value is GrpcError {
  return errorClass(value) === 'TransportError' && typeof (value as Partial<GrpcError>).progress === 'string';
}

const COMPACTED = 'required revision has been compacted';
const FUTURE = 'required revision is a future revision';
const LEASE_NOT_FOUND = 'requested lease not found';
const NO_SPACE = 'database space exceeded';
const TOO_LARGE = 'request is too large';

/** The messages of etcd for calls that it has refused before it proposed them to the cluster. */
const REFUSALS = [
  'no leader',
  'too many requests',
  'not capable',
  'unhealthy cluster',
  'rpc not supported for learner',
];

/** How far a call got that etcd answered with this status. */
export function progressOf(code: number, message: string): Progress {
  const isUncertain =
    code === GRPC.unavailable || code === GRPC.deadlineExceeded || code === GRPC.canceled || code === 2;
  return isUncertain && !REFUSALS.some((refusal) => message.includes(refusal)) ? 'unknown' : 'refused';
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

/** Whether another member may answer what this one did not. */
export function isMemberFailure(error: unknown): boolean {
  return isGrpcError(error) && (error.code === GRPC.unavailable || error.code === GRPC.deadlineExceeded);
}

/** The StorageError for a failed call. `isWrite`: a call whose outcome is not known is `Unknown`, not `Unavailable`. */
export function toStorageError(caught: unknown, isWrite: boolean, key?: string): unknown {
  if (!isGrpcError(caught)) return caught;
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
