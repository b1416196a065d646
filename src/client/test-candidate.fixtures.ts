/** Candidates of an election on a simulated server, on a virtual clock. */
import type { Transport, TransportResponse } from '../apimachinery/http/transport.ts';
import { onAbort } from '../base/abort.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { createClient } from './create-client.ts';
import {
  type LeaderElection,
  type LeaderElectionOptions,
  type LeaderTerm,
  runLeaderElection,
} from './leader-election.ts';
import { LeaseServer } from './lease-server.fixtures.ts';

export const OPTIONS = { namespace: 'kube-system', name: 'demo' };

/** One candidate with what a test wants to know about it. */
export class TestCandidate {
  readonly terms: LeaderTerm[] = [];
  readonly holders: string[] = [];
  readonly stop: AbortController = new AbortController();
  readonly done: Promise<void>;
  outcome: string | undefined;
  /** Whether the requests of this candidate are answered. */
  connected = true;

  constructor(
    server: LeaseServer,
    clock: VirtualClock,
    more: Partial<LeaderElection> & { readonly set?: Partial<LeaderElectionOptions> } = {},
  ) {
    const transport: Transport = (request) =>
      this.connected
        ? server.transport(request)
        : new Promise<TransportResponse>((_, reject) => onAbort(request.signal, reject));
    this.done = runLeaderElection({
      client: createClient(transport),
      clock,
      random: () => 0.5,
      signal: this.stop.signal,
      onHolder: (holder) => void this.holders.push(holder),
      lead: (term) => {
        this.terms.push(term);
        return new Promise((resolve) => onAbort(term.signal, () => resolve()));
      },
      ...more,
      options: { ...OPTIONS, identity: 'a', ...more.set },
    }).then(
      () => {
        this.outcome = 'ended';
      },
      (error: Error) => {
        this.outcome = error.message;
      },
    );
  }

  get leads(): boolean {
    return this.terms.some((term) => !term.lost.aborted);
  }
}

export interface TestElection {
  readonly clock: VirtualClock;
  readonly server: LeaseServer;
  candidate(identity: string, more?: ConstructorParameters<typeof TestCandidate>[2]): TestCandidate;
  spec(): Readonly<Record<string, string | number>> | undefined;
}

export function setUp(): TestElection {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  const candidate = (identity: string, more: ConstructorParameters<typeof TestCandidate>[2] = {}): TestCandidate =>
    new TestCandidate(server, clock, { ...more, set: { identity, ...more.set } });
  const spec = () => server.leases.get('demo')?.spec;
  return { clock, server, candidate, spec };
}
