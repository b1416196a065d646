/** etcd clusters as the source and the target of a move. */

import type { Clock } from '../../../base/clock.ts';
import { count } from '../../../base/count.ts';
import { ConfigError, toError } from '../../../base/errors.ts';
import type { GrpcTls } from '../../../base/grpc.ts';
import { openGrpcChannel } from '../../../node/grpc/grpc-channel.ts';
import { isStorageError, StorageError } from '../../../storage/errors.ts';
import { EtcdTransfer, type TransferredPut } from '../../../storage/etcd/etcd-transfer.ts';
import type { LeaseId } from '../../../storage/etcd/messages.ts';
import {
  leaseSeconds,
  type MovedItem,
  type MovedKey,
  type MovedState,
  type MoveSource,
  type MoveTarget,
  noKeys,
} from './moved-state.ts';

export interface EtcdEnd {
  /** URLs of members. */
  readonly servers: readonly string[];
  readonly tls: GrpcTls;
  /** The first part of the keys, without a final slash: `/registry`. */
  readonly prefix: string;
  readonly clock: Clock;
}

export interface EtcdTargetOptions extends EtcdEnd {
  /** Whether to remove the existing keys below the prefix first. Otherwise there must be none. */
  readonly replace: boolean;
  /** The distance from the revision of the source to the first revision of the target. */
  readonly bump: number;
  /** Whether the revision of the cluster may stay below that of the source. */
  readonly restartRevisions: boolean;
}

/** The most revisions by which a cluster is raised. Each one is a write, so this many take about 15 minutes. */
const MOST_RAISED = 10_000_000;

export function etcdSource(end: EtcdEnd): MoveSource {
  const { prefix, clock } = end;
  const name = nameOf(end);
  return {
    name,
    prefix,
    read: async (report) => {
      const transfer = openTransfer(end);
      try {
        await reach(name, () => transfer.count());
        if (await transfer.hasMarker()) throw new ConfigError(`${name} has an unfinished import below ${prefix}`);
        const state = await readState(transfer, clock, (done, total) => report('read', done, total));
        if (state.keys.length === 0) throw new ConfigError(noKeys(name, prefix, await transfer.anyKey()));
        return { ...state, close: async () => transfer.close() };
      } catch (caught) {
        transfer.close();
        throw toError(caught);
      }
    },
  };
}

/** Reads the keys of a cluster. `close` of the result does not close the connections. */
async function readState(
  transfer: EtcdTransfer,
  clock: Clock,
  report: (done: number, total: number) => void,
): Promise<MovedState> {
  const { revision, keys, leases } = await transfer.readKeys(report);
  const now = clock.now();
  const moved = keys.map(({ path, revision: written, created, lease }): MovedKey => {
    const seconds = lease === 0 ? undefined : leases.get(lease);
    const expires = seconds === undefined ? 0 : now + Math.max(0, seconds) * 1000;
    return { path, revision: written, created, expires };
  });
  return {
    revision,
    keys: moved,
    imported: true,
    notes: [],
    items: (wanted) => itemsOf(transfer, wanted, revision),
    close: async () => undefined,
  };
}

async function* itemsOf(
  transfer: EtcdTransfer,
  keys: readonly MovedKey[],
  revision: number,
): AsyncIterable<readonly MovedItem[]> {
  let at = 0;
  const paths = keys.map(({ path }) => path);
  for await (const values of transfer.readValues(paths, revision))
    yield values.map((value): MovedItem => ({ ...(keys[at++] as MovedKey), value }));
}

/** The keys below a prefix of a cluster. Until the move is finished, a marker key prevents servers from starting. */
export function etcdTarget(options: EtcdTargetOptions): MoveTarget {
  const { prefix, clock, replace, bump, restartRevisions } = options;
  const name = nameOf(options);
  const transfer = openTransfer(options);
  const description = `import begun ${new Date(clock.now()).toISOString()}`;
  let goal = 0;
  let expiring = 0;
  return {
    name,
    prefix,
    takesPrivateKeys: true,
    check: async () => {
      const { keys } = await reach(name, () => transfer.count());
      if (replace) return;
      if (await transfer.hasMarker())
        throw new ConfigError(
          `${name} has an unfinished import below ${prefix}: add --replace to remove its keys and start again`,
        );
      if (keys > 0)
        throw new ConfigError(
          `${name} has ${count(keys, 'key')} below ${prefix}: choose another prefix or cluster, or add --replace to remove them first`,
        );
    },
    write: (items, report) =>
      unfinished(name, async () => {
        const { revision } = await transfer.count();
        goal = restartRevisions ? revision : items.revision + bump;
        checkRaise(goal - revision, items.revision);
        await transfer.begin(description, { replaces: replace });
        await transfer.raiseTo(goal, description, (done, total) => report('raise the revision', done, total));
        const leases = new LeasePerMinute(transfer, clock.now());
        let done = 0;
        for await (const batch of items.batches) {
          const puts: TransferredPut[] = [];
          for (const { path, value, expires } of batch)
            puts.push(expires === 0 ? { path, value } : { path, value, lease: await leases.take(expires) });
          await transfer.write(puts);
          done += batch.length;
          report('write', done, items.total);
        }
        expiring = leases.keys;
      }),
    readBack: (report) =>
      unfinished(name, () => readState(transfer, clock, (done, total) => report('read again', done, total))),
    finish: async () => {
      const revision = await unfinished(name, () => transfer.finish());
      const notes = [
        `Objects have new resourceVersions in the order of the old ones, all above revision ${goal}. Earlier revisions are compacted, so every client lists again.`,
        ...(restartRevisions ? ['They may be below those of the source: restart every client.'] : []),
      ];
      if (expiring > 0) notes.push(`Objects that expire: ${expiring}. Their leases are rounded up to a minute.`);
      return { revision, notes };
    },
    close: async () => transfer.close(),
  };
}

/** Throws ConfigError if the revision would have to be raised too far. */
function checkRaise(distance: number, revision: number): void {
  if (distance > MOST_RAISED)
    throw new ConfigError(
      `the source is at revision ${revision}, and etcd needs ${distance} writes to get there: restore a file of "keelson storage export" with "etcdutl snapshot restore" instead, or add --restart-revisions and restart every client`,
    );
}

/** Grants one lease for each time to live, as `leaseSeconds` rounds it. */
class LeasePerMinute {
  readonly #transfer: EtcdTransfer;
  readonly #now: number;
  readonly #leases = new Map<number, LeaseId>();
  /** The number of keys with a lease. */
  keys = 0;

  constructor(transfer: EtcdTransfer, now: number) {
    this.#transfer = transfer;
    this.#now = now;
  }

  async take(expires: number): Promise<LeaseId> {
    const seconds = leaseSeconds(expires, this.#now);
    const lease = this.#leases.get(seconds) ?? (await this.#transfer.grantLease(seconds));
    this.#leases.set(seconds, lease);
    this.keys++;
    return lease;
  }
}

function openTransfer({ servers, tls, prefix, clock }: EtcdEnd): EtcdTransfer {
  return new EtcdTransfer({ endpoints: servers, tls, prefix, clock, openChannel: openGrpcChannel });
}

function nameOf({ servers }: EtcdEnd): string {
  return `etcd at ${servers.join(',')}`;
}

/** Makes the first call to a cluster. Throws ConfigError if the cluster does not answer. */
async function reach<R>(name: string, call: () => Promise<R>): Promise<R> {
  try {
    return await call();
  } catch (caught) {
    const error = toError(caught);
    throw new ConfigError(`cannot use ${name}: ${error.message}`, { cause: error });
  }
}

/** Runs a call. If it fails, the message of the error says that the target is unfinished. */
async function unfinished<R>(name: string, call: () => Promise<R>): Promise<R> {
  try {
    return await call();
  } catch (caught) {
    if (!isStorageError(caught)) throw toError(caught);
    throw new StorageError(
      caught.code,
      `${caught.message}; the import into ${name} is unfinished: run it again with --replace`,
      { cause: caught },
    );
  }
}
