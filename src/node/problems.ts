/** What a listener tells its operator. Invariant: at most one report per kind and tick of the wheel, so that an attack does not become a flood of log lines. */

export type ProblemKind =
  /** A bound of ListenerLimits was crossed and a connection paid for it. */
  | 'too-many-connections'
  | 'too-many-resets'
  | 'too-many-control-frames'
  | 'too-many-pipelined-requests'
  | 'too-slow'
  /** The client broke TLS or HTTP. */
  | 'tls-handshake'
  | 'plain-http'
  | 'broken-protocol'
  /** The handler broke its promise never to fail, or made an answer that cannot be sent. */
  | 'handler-failed';

export interface ListenerProblem {
  readonly kind: ProblemKind;
  /** Of the client that caused it; empty if it is gone. */
  readonly remoteAddress: string;
  readonly message: string;
  readonly cause?: Error;
  /** How many of the kind were not reported since the last one. */
  readonly suppressed: number;
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

  /** Lets every kind speak again. */
  tick(): void {
    this.#reported.clear();
  }
}
