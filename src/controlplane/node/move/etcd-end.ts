/** etcd clusters as the source and the target of a move. */

import type { Clock } from '../../../base/clock.ts';
import { count } from '../../../base/count.ts';
import { ConfigError, toError } from '../../../base/errors.ts';
import type { GrpcTls } from '../../../base/grpc.ts';
import { openGrpcChannel } from '../../../node/grpc/grpc-channel.ts';
import { isStorageError, StorageError } from '../../../storage/errors.ts';
import { EtcdTransfer, type TransferredPut, type TransferredState } from '../../../storage/etcd/etcd-transfer.ts';
import type { LeaseId } from '../../../storage/etcd/messages.ts';
import {
  byPath,
  byRevision,
  leaseSeconds,
  type MovedItem,
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
  /** Removes the keys below the prefix first. Otherwise there must be none. */
  readonly replace: boolean;
  /** The distance from the revision of the source to the first revision of the target. */
  readonly bump: number;
  /** Leaves the revision of the cluster as it is, although it may be below that of the source. */
  readonly restartRevisions: boolean;
}

/** The most writes that raise the revision of a cluster: about 15 minutes. */
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
        const state = stateOf(await transfer.read((done, total) => report('read', done, total)), clock.now());
        if (state.items.length === 0) throw new ConfigError(noKeys(name, prefix, await transfer.anyKey()));
        return state;
      } finally {
        transfer.close();
      }
    },
  };
}

function stateOf({ revision, items, leases }: TransferredState, now: number): MovedState {
  const moved = items.map(({ key, value, revision: written, created, lease }): MovedItem => {
    const seconds = lease === 0 ? undefined : leases.get(lease);
    const expires = seconds === undefined ? 0 : now + Math.max(0, seconds) * 1000;
    return { path: key, value, revision: written, created, expires };
  });
  return { revision, items: byPath(moved), imported: true, notes: [] };
}

/** The keys below a prefix. Until the move is finished a marker beside them keeps servers from starting. */
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
    write: (state, report) =>
      unfinished(name, async () => {
        const { revision } = await transfer.count();
        goal = restartRevisions ? revision : state.revision + bump;
        checkRaise(goal - revision, state.revision);
        await transfer.begin(description, { replaces: replace });
        await transfer.raiseTo(goal, description, (done, total) => report('raise the revision', done, total));
        const puts = await putsOf(transfer, state, clock.now());
        expiring = puts.filter(({ lease }) => lease !== undefined).length;
        await transfer.write(puts, (done, total) => report('write', done, total));
      }),
    readBack: (report) =>
      unfinished(name, async () =>
        stateOf(await transfer.read((done, total) => report('verify', done, total)), clock.now()),
      ),
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

/** Throws ConfigError if the revision is too far away: each one is a write. */
function checkRaise(distance: number, revision: number): void {
  if (distance > MOST_RAISED)
    throw new ConfigError(
      `the source is at revision ${revision}, and etcd needs ${distance} writes to get there: restore a file of "keelson storage export" with "etcdutl snapshot restore" instead, or add --restart-revisions and restart every client`,
    );
}

/** In the order of revisions, with a lease for each time to live. */
async function putsOf(transfer: EtcdTransfer, { items }: MovedState, now: number): Promise<TransferredPut[]> {
  const leases = new Map<number, LeaseId>();
  const puts: TransferredPut[] = [];
  for (const { path, value, expires } of byRevision(items)) {
    if (expires === 0) {
      puts.push({ path, value });
      continue;
    }
    const seconds = leaseSeconds(expires, now);
    const lease = leases.get(seconds) ?? (await transfer.grantLease(seconds));
    leases.set(seconds, lease);
    puts.push({ path, value, lease });
  }
  return puts;
}

function openTransfer({ servers, tls, prefix, clock }: EtcdEnd): EtcdTransfer {
  return new EtcdTransfer({ endpoints: servers, tls, prefix, clock, openChannel: openGrpcChannel });
}

function nameOf({ servers }: EtcdEnd): string {
  return `etcd at ${servers.join(',')}`;
}

/** The first call to a cluster. Throws ConfigError if it does not answer. */
async function reach<R>(name: string, call: () => Promise<R>): Promise<R> {
  try {
    return await call();
  } catch (caught) {
    const error = toError(caught);
    throw new ConfigError(`cannot use ${name}: ${error.message}`, { cause: error });
  }
}

/** Adds to an error that the target is unfinished. */
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
