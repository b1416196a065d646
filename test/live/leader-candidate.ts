/**
 * One candidate of the live election, as a process. It writes a ConfigMap all the time while it leads. It prints one
 * JSON line per term, per request that it starts as the leader, and per request that the fence refuses.
 */
import type { Transport } from '../../src/apimachinery/http/transport.ts';
import { sleep, systemClock } from '../../src/base/clock.ts';
import { createClient } from '../../src/client/create-client.ts';
import { fenced } from '../../src/client/fenced.ts';
import { type LeaderTerm, runLeaderElection } from '../../src/client/leader-election.ts';
import { ConfigMap } from '../../src/kinds/api/core/v1.ts';
import { connect } from '../../src/node/kubeconfig/connect.ts';

/** `at` is the monotonic clock of the machine in milliseconds, which all processes share. */
export type CandidateLine =
  | { readonly kind: 'term'; readonly at: number }
  /** `leftMs`: the time until the deadline, on the candidate's own clock, when the request starts. */
  | { readonly kind: 'request'; readonly at: number; readonly leftMs: number }
  | { readonly kind: 'refused'; readonly at: number }
  | { readonly kind: 'ended'; readonly at: number };

export const LEASE = { leaseDurationMs: 1000, renewDeadlineMs: 700, retryPeriodMs: 200 } as const;

export function machineTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export async function runCandidate(kubeconfig: string, identity: string): Promise<void> {
  const connection = await connect({ kubeconfig });
  const stop = new AbortController();
  process.on('SIGTERM', () => stop.abort());
  let term: LeaderTerm | undefined;
  // Innermost: every request of this process passes here as it starts.
  const counted: Transport = (request) => {
    if (term !== undefined)
      print({ kind: 'request', at: machineTime(), leftMs: term.deadline - systemClock.monotonic() });
    return connection.transport(request);
  };
  await runLeaderElection({
    client: createClient(counted),
    options: { namespace: 'default', name: 'live-election', identity, ...LEASE },
    signal: stop.signal,
    lead: async (begun) => {
      print({ kind: 'term', at: machineTime() });
      term = begun;
      await work(createClient(fenced(counted, begun)), begun, identity);
      term = undefined;
    },
  });
  print({ kind: 'ended', at: machineTime() });
  await connection.stop();
}

async function work(client: ReturnType<typeof createClient>, term: LeaderTerm, identity: string): Promise<void> {
  const maps = client.api(ConfigMap, 'default');
  let running = 0;
  // Goes on for a while after the loss, as careless work does: the fence must stop it.
  for (let after = 0; after < 5; after += term.signal.aborted ? 1 : 0) {
    await sleep(systemClock, 10);
    if (running >= 8) continue;
    running++;
    void maps
      .apply(
        { metadata: { name: 'live-election' }, data: { leader: identity } },
        { fieldManager: 'live-election', force: true },
      )
      .catch(() => {
        if (term.lost.aborted) print({ kind: 'refused', at: machineTime() });
      })
      .finally(() => running--);
  }
}

function print(line: CandidateLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
