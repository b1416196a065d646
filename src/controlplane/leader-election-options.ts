/** The options of the leader election between servers that share a storage: the flags of kube-controller-manager. */

export interface LeaderElectionOptions {
  /**
   * `--leader-elect`: whether only the holder of a Lease runs the control loops. No effect with an embedded storage,
   * which only one server can use. Default true.
   */
  readonly enabled: boolean;
  /** `--leader-elect-resource-namespace` and `--leader-elect-resource-name`: the Lease. */
  readonly namespace: string;
  readonly name: string;
  /** `--leader-elect-lease-duration` in milliseconds: how long other servers wait for a renewal. */
  readonly leaseDurationMs: number;
  /** `--leader-elect-renew-deadline` in milliseconds: how long the loops run after the last renewal. */
  readonly renewDeadlineMs: number;
  /** `--leader-elect-retry-period` in milliseconds: the time between two attempts. */
  readonly retryPeriodMs: number;
}

/**
 * The defaults of kube-controller-manager, except for the name: a kube-controller-manager of the same cluster runs
 * other controllers and must not wait for this Lease.
 */
export const DEFAULT_LEADER_ELECTION: LeaderElectionOptions = {
  enabled: true,
  namespace: 'kube-system',
  name: 'keelson-controllers',
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};
