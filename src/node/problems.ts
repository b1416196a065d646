/**
 * The problems that a listener reports to its operator.
 * Invariant: at most one report per kind and tick of the deadline wheel, so that an attack does not flood the log.
 */
import type { Logger } from '../base/logger.ts';
import type { ServerMetrics } from '../server/metrics/server-metrics.ts';

export type ProblemKind =
  /** A limit of ListenerLimits was exceeded, and a connection or stream was closed for it. */
  | 'too-many-connections'
  | 'too-many-resets'
  | 'too-many-control-frames'
  | 'too-many-pipelined-requests'
  | 'too-slow'
  /** The client violated TLS or HTTP. */
  | 'tls-handshake'
  | 'plain-http'
  | 'broken-protocol'
  /** The handler threw, or returned an answer that cannot be sent. */
  | 'handler-failed';

export interface ListenerProblem {
  readonly kind: ProblemKind;
  /** The address of the client that caused it; empty if it has disconnected. */
  readonly remoteAddress: string;
  readonly message: string;
  readonly cause?: Error;
  /** How many problems of this kind were not reported since the last report. */
  readonly suppressed: number;
}

/** Returns the `onProblem` of a listener that logs, and counts failed handshakes if there are metrics. */
export function problemLogger(logger: Logger, metrics?: ServerMetrics): (problem: ListenerProblem) => void {
  return ({ kind, message, remoteAddress, cause, suppressed }) => {
    const fields = { kind, remoteAddress, suppressed };
    if (kind === 'tls-handshake') metrics?.tlsHandshakeErrors.labels().add(1 + suppressed);
    if (kind === 'handler-failed') logger.error(message, cause, fields);
    // Clients often close connections in the middle of a frame.
    else if (kind === 'broken-protocol') logger.debug(message, fields);
    else logger.info(message, fields);
  };
}

export class ProblemReports {
  readonly #listener: (problem: ListenerProblem) => void;
  readonly #counts = new Map<ProblemKind, number>();
  readonly #reported = new Set<ProblemKind>();

  constructor(listener: (problem: ListenerProblem) => void) {
    this.#listener = listener;
  }

  report(kind: ProblemKind, remoteAddress: string, message: string, cause?: Error): void {
    if (this.#reported.has(kind)) {
      this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
      return;
    }
    this.#reported.add(kind);
    const suppressed = this.#counts.get(kind) ?? 0;
    this.#counts.delete(kind);
    this.#listener({ kind, remoteAddress, message, suppressed, ...(cause === undefined ? {} : { cause }) });
  }

  /** Allows one report of every kind again. */
  tick(): void {
    this.#reported.clear();
  }
}
