/** The flags of the leader election of the control loops, by the names of kube-controller-manager. */

import type { LeaderElectionOptions } from '../controlplane/leader-election-options.ts';
import type { CommandOptions } from './server-flag.ts';
import { type Effect, type FlagRow, positive, server } from './server-flag.ts';

export const LEADER_ELECTION_FLAGS: readonly FlagRow[] = [
  [
    'leader-elect',
    'bool',
    'run the control loops on one of the servers that share an etcd cluster: the holder of a Lease (default true)',
    election((v) => ({ enabled: v.bool() })),
  ],
  [
    'leader-elect-lease-duration',
    'duration',
    'how long other servers wait for a renewal of the Lease before they take it (default 15s)',
    election((v) => ({ leaseDurationMs: positive(v, v.milliseconds()) })),
  ],
  [
    'leader-elect-renew-deadline',
    'duration',
    'how long the control loops run after the last renewal of the Lease (default 10s)',
    election((v) => ({ renewDeadlineMs: positive(v, v.milliseconds()) })),
  ],
  [
    'leader-elect-retry-period',
    'duration',
    'time between two attempts to acquire or renew the Lease (default 2s)',
    election((v) => ({ retryPeriodMs: positive(v, v.milliseconds()) })),
  ],
  [
    'leader-elect-resource-name',
    'string',
    'name of the Lease (default "keelson-controllers")',
    election((v) => ({ name: v.text() })),
  ],
  [
    'leader-elect-resource-namespace',
    'string',
    'namespace of the Lease (default "kube-system")',
    election((v) => ({ namespace: v.text() })),
  ],
];

function election(effect: Effect<LeaderElectionOptions>): Effect<CommandOptions> {
  return server((values) => ({ leaderElection: effect(values) }));
}
