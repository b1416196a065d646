/**
 * The interface of leader election on a Lease, with client-go's rules (tools/leaderelection). Invariant: `signal` of a
 * term aborts at the holder's own monotonic deadline at the latest (renewDeadline after the last renewal that is known
 * to have succeeded), before another candidate may take the Lease over (leaseDuration).
 */
export interface LeaderElectionOptions {
  readonly namespace: string;
  readonly name: string;
  /** Unique per candidate: `hostname_uuid`. */
  readonly identity: string;
  /** Default 15 s. */
  readonly leaseDurationMs?: number;
  /** Default 10 s. Must be less than leaseDurationMs. */
  readonly renewDeadlineMs?: number;
  /** Default 2 s. Must be less than renewDeadlineMs / 1.2. */
  readonly retryPeriodMs?: number;
  /** Whether the Lease is given up when the election is cancelled. Default true. */
  readonly releaseOnCancel?: boolean;
}

/** One term as the leader. */
export interface LeaderTerm {
  /** Aborts when the Lease is lost, when its deadline passes, and at stop. */
  readonly signal: AbortSignal;
}
