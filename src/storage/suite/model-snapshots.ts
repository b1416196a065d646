/**
 * The snapshots of the model test. At most `MOST` are held; the oldest is stopped for the next one.
 * Invariant: a snapshot is never older than a revision that was seen before it was taken.
 */
import type { Snapshot } from '../embedded-storage.ts';
import type { Revision, Storage } from '../storage.ts';
import { expectStorageError, expectTrue } from '../suite-assert.ts';
import { embedded } from './context.ts';
import { at } from './model-script.ts';

const MOST = 3;

/** The parts of the model test that snapshots need. */
export interface SnapshotContext {
  readonly storage: Storage;
  readonly seen: Revision;
  /** Set once the store stops. */
  readonly stopping: Promise<void> | undefined;
  see(revision: Revision): void;
}

export interface HeldSnapshot {
  readonly snapshot: Snapshot;
  /** The horizon of the store when the snapshot was asked for. */
  readonly horizon: Revision;
}

export class SnapshotChecks {
  readonly #context: SnapshotContext;
  #held: HeldSnapshot[] = [];

  constructor(context: SnapshotContext) {
    this.#context = context;
  }

  at(index: number): HeldSnapshot | undefined {
    return at(this.#held, index);
  }

  async take(): Promise<void> {
    const { storage, seen } = this.#context;
    const horizon = storage.horizon();
    const snapshot = await embedded(storage).snapshot();
    this.#context.see(snapshot.revision);
    if (this.#context.stopping !== undefined) return;
    expectTrue(snapshot.revision >= seen, `the snapshot ${snapshot.revision} is not older than ${seen}`);
    this.#held.push({ snapshot, horizon });
    if (this.#held.length > MOST) await this.stop(0);
  }

  async stop(index: number): Promise<void> {
    const held = this.at(index);
    if (held === undefined) return;
    this.#held = this.#held.filter((other) => other !== held);
    await held.snapshot.stop();
    await expectStorageError(() => held.snapshot.get('a'), 'Closed');
    await expectStorageError(() => held.snapshot.list({ prefix: '' }), 'Closed');
  }

  /** Called after the store has stopped: all snapshots are Closed. Forgets them. */
  async checkClosed(): Promise<void> {
    for (const { snapshot } of this.#held.splice(0)) await expectStorageError(() => snapshot.get('a'), 'Closed');
  }
}
