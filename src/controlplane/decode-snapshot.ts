/** Decodes the objects of an etcd snapshot to their storage versions, without a running server. */
import { Lifetime } from '../base/lifetime.ts';
import { SILENT } from '../base/logger.ts';
import type { KeyValue } from '../storage/storage.ts';
import type { CompletedOptions } from './complete-options.ts';
import { createServerChain } from './server-chain.ts';
import type { EtcdState, SnapshotReport, SnapshotStore } from './snapshot-store.ts';

export interface DecodedSnapshot {
  readonly report: SnapshotReport;
  /** In key order. The values are JSON. */
  readonly items: AsyncIterable<KeyValue>;
}

const PAGE = 1000;

/** Calls `use` with the decoded objects. Takes ownership of the store, which is stopped when `use` has settled. */
export async function decodeSnapshot<T>(
  completed: CompletedOptions,
  store: SnapshotStore,
  state: EtcdState,
  use: (decoded: DecodedSnapshot) => Promise<T>,
): Promise<T> {
  const lifetime = new Lifetime('snapshot');
  lifetime.add('storage', () => store.storage.stop());
  try {
    await createServerChain(completed, {
      storages: { main: store.storage, overrides: [] },
      logger: SILENT,
      logRequests: false,
      flags: undefined,
      lifetime,
      forms: store.forms,
      readOnly: true,
    });
    const report = await store.fill(state);
    return await use({ report, items: itemsOf(store) });
  } finally {
    await lifetime.stop();
  }
}

async function* itemsOf({ storage }: SnapshotStore): AsyncIterable<KeyValue> {
  let start: string | undefined;
  do {
    const page = await storage.list(start === undefined ? { prefix: '' } : { prefix: '', start }, { limit: PAGE });
    if (page.outcome !== 'ok') return;
    yield* page.items;
    start = page.next;
  } while (start !== undefined);
}
