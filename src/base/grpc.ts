/**
 * gRPC channels as an interface, and the failures of their calls. A channel is I/O, so it is given to the code that
 * calls a gRPC server: `node/grpc` has the implementation.
 */
import type { Clock } from './clock.ts';
import { errorClass, KeelsonError } from './errors.ts';

/** The codes of gRPC that matter here (grpc/grpc `doc/statuscodes.md`). */
export const GRPC = {
  ok: 0,
  canceled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const;

/** The names of all codes, in the spelling of grpc-go. */
const CODE_NAMES = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];

/** Returns the name of a code for messages and metrics: `DeadlineExceeded`, and `Code(99)` for an unknown one. */
export function grpcCodeName(code: number): string {
  return CODE_NAMES[code] ?? `Code(${code})`;
}

/**
 * How far a call got.
 * - `refused`: the server did not carry it out. It can be repeated, also on another server.
 * - `unknown`: the server may have carried it out, or may still do so.
 */
export type GrpcProgress = 'refused' | 'unknown';

export class GrpcError extends KeelsonError {
  readonly code: number;
  readonly progress: GrpcProgress;

  constructor(code: number, message: string, options: { progress: GrpcProgress; cause?: unknown }) {
    super('TransportError', message, { cause: options.cause, retryable: code === GRPC.unavailable });
    this.code = code;
    this.progress = options.progress;
  }
}

export function isGrpcError(value: unknown): value is GrpcError {
  return errorClass(value) === 'TransportError' && typeof (value as Partial<GrpcError>).progress === 'string';
}

/** Certificates and the key in PEM. Without `ca`, the authorities of the system are trusted. */
export interface GrpcTls {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface GrpcChannelOptions {
  /**
   * `http://host:port`, `https://host:port`, or `unix:///path` for a socket in the file system. `unix://@name` is a
   * socket in the abstract namespace.
   */
  readonly endpoint: string;
  /** For `https`. Default: no client certificate, and the authorities of the system. */
  readonly tls?: GrpcTls;
  readonly clock: Clock;
  /** Headers of every call. Names are in lower case. Default: none. */
  readonly metadata?: Readonly<Record<string, string>>;
  /**
   * Returns how far a call got that the server answered with this status. Default: `unknown` for the codes that a
   * server may send after it has carried a call out.
   */
  readonly progressOf?: (code: number, message: string) => GrpcProgress;
  /** The longest message of an answer. A longer one fails its call. Default: no limit. */
  readonly maxMessageBytes?: number;
}

/** A stream of messages in both directions. */
export interface GrpcDuplex {
  /** Sends a message in its frame. Does nothing after the end. */
  send(frame: Uint8Array): void;
  /** Cancels the stream. The sink is not called any more. */
  close(): void;
}

export interface GrpcDuplexSink {
  /** Called with each message of the server. An exception ends the stream. */
  message(message: Uint8Array): void;
  /** Called once, as the last call. If the server ended the stream with OK, the code of the error is `unavailable`. */
  end(error: GrpcError): void;
}

/**
 * Calls to one server over one connection, which is made with the first call, and again after it was lost.
 * Invariant: every call is answered once, with a message or with a GrpcError.
 */
export interface GrpcChannel {
  readonly endpoint: string;
  /** Sends one message in its frame and returns the message of the answer. Rejects with a GrpcError. */
  unary(path: string, frame: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  /** Opens a stream. The sink is called in a later turn. */
  duplex(path: string, sink: GrpcDuplexSink): GrpcDuplex;
  /** Closes the connection. Running and later calls fail. */
  close(): void;
}

export type OpenGrpcChannel = (options: GrpcChannelOptions) => GrpcChannel;

/** Returns how far a call got, by its status alone. The default of `GrpcChannelOptions.progressOf`. */
export function grpcProgress(code: number): GrpcProgress {
  const isUncertain =
    code === GRPC.unavailable || code === GRPC.deadlineExceeded || code === GRPC.canceled || code === GRPC.unknown;
  return isUncertain ? 'unknown' : 'refused';
}
