/**
 * The namespace loop: empties a namespace that is being deleted, reports the progress in its conditions, and removes
 * the finalizer `kubernetes` once nothing is left. It does not poll stored objects: the deletion of the last object
 * continues the loop at once.
 *
 * Invariant: no object is created in a namespace after it is finalized. The server refuses creates once the namespace
 * has a deletionTimestamp. The loop waits for creates that were admitted earlier, and empties the namespace again.
 */
import { formatTime, instantFromMillis, millisFromTime } from '../../apimachinery/scalars/time.ts';
import { isConflict, isNotFound, StatusError } from '../../apimachinery/status/status.ts';
import { unknown } from '../../apimachinery/status/status-catalogue.ts';
import { toError } from '../../base/errors.ts';
import { Lifetime, type Stoppable } from '../../base/lifetime.ts';
import { processQueue } from '../../base/process-queue.ts';
import { WorkQueue } from '../../base/work-queue.ts';
import type { Api } from '../../client/api.ts';
import type { Stored } from '../../client/object-types.ts';
import { Namespace } from '../../kinds/api/core/v1.ts';
import type { LoopContext, LoopDefinition } from '../loop.ts';
import { StoredMetadata } from '../stored-metadata.ts';
import { discoveryFailure, withDeletionConditions } from './namespace-conditions.ts';
import { type EmptiedNamespace, emptyNamespace } from './namespace-content.ts';

export const namespaceLoop: LoopDefinition = {
  name: 'namespace-controller',
  serviceAccount: 'namespace-controller',
  start: (context) => {
    const loop = new NamespaceLoop(context);
    loop.start();
    return loop;
  },
};

/** kube-controller-manager's `--concurrent-namespace-syncs`. */
const AT_ONCE = 10;
const FINALIZER = 'kubernetes';
/**
 * While objects of a namespace are deleted one after the other, the loop processes the namespace at most once in this
 * time.
 */
const PACE_MS = 1000;

/** A namespace that is being deleted. */
interface Terminating {
  readonly uid: string;
  /** Whether requests are running that may have been admitted before the deletion. */
  hasAdmitted: boolean;
  /** The number of its stored objects that were deleted since the loop saw the deletionTimestamp. */
  deleted: number;
  /** The value of `deleted` at which no object is left. Undefined until the objects are counted. */
  emptyAt: number | undefined;
}

class NamespaceLoop implements Stoppable {
  readonly #context: LoopContext;
  readonly #namespaces: Api<Namespace>;
  readonly #queue: WorkQueue;
  readonly #terminating = new Map<string, Terminating>();
  readonly #metadata = new StoredMetadata();
  readonly #lifetime = new Lifetime('namespace loop');

  constructor(context: LoopContext) {
    this.#context = context;
    this.#namespaces = context.client.api(Namespace);
    this.#queue = new WorkQueue({ clock: context.clock });
  }

  start(): void {
    const { informers, stored, served, logger } = this.#context;
    this.#lifetime.add('queue', () => this.#queue.stop());
    void processQueue(this.#queue, {
      work: (name) => this.#sync(name),
      onFailure: (namespace, error) =>
        logger.warn('cannot empty a namespace, retrying', { namespace, reason: error.message }),
      concurrency: AT_ONCE,
    });
    const following = stored.follow(
      { reset: nothing, put: nothing, synced: nothing, delete: (value) => this.#deleted(value) },
      { from: 'now' },
    );
    this.#lifetime.add('stored objects', () => following.stop());
    const registration = informers.informer(Namespace).addHandler({
      onAdd: (namespace) => this.#changed(namespace),
      onUpdate: (_, namespace) => this.#changed(namespace),
      onDelete: ({ metadata }) => void this.#terminating.delete(metadata.name),
    });
    this.#lifetime.add('informer', () => registration.remove());
    const changes = served.onChange(() => this.#kindsChanged());
    this.#lifetime.add('served kinds', () => changes.stop());
  }

  stop(): Promise<void> {
    return this.#lifetime.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /**
   * Called for every namespace that is added or updated. Ignores further updates of a namespace that is already in
   * `#terminating`: they are writes of this loop, or do not concern it.
   */
  #changed({ metadata: { name, uid, deletionTimestamp } }: Stored<Namespace>): void {
    if (deletionTimestamp === undefined || this.#terminating.get(name)?.uid === uid) return;
    const admitted = this.#context.writes.ended(name);
    const terminating = { uid, hasAdmitted: admitted !== undefined, deleted: 0, emptyAt: undefined };
    this.#terminating.set(name, terminating);
    void admitted?.then(() => {
      terminating.hasAdmitted = false;
      this.#queue.add(name);
    });
    this.#queue.add(name);
  }

  #deleted(value: Uint8Array): void {
    if (this.#terminating.size === 0 || !this.#metadata.read(value)) return;
    const { namespace } = this.#metadata;
    const terminating = namespace === '' ? undefined : this.#terminating.get(namespace);
    if (terminating === undefined) return;
    terminating.deleted++;
    if (terminating.emptyAt === undefined) return;
    if (terminating.deleted >= terminating.emptyAt) this.#queue.add(namespace);
    else this.#queue.addAfter(namespace, PACE_MS);
  }

  /** A group that was unavailable may have delayed the deletion of a namespace. */
  #kindsChanged(): void {
    for (const name of this.#terminating.keys()) this.#queue.add(name);
  }

  async #sync(name: string): Promise<void> {
    const terminating = this.#terminating.get(name);
    const namespace = await this.#namespaces.find(name);
    const deletedAt = namespace?.metadata.deletionTimestamp;
    if (namespace === undefined || deletedAt === undefined || terminating === undefined) return;
    if ((namespace.spec?.finalizers ?? []).length === 0) return;
    const before = terminating.deleted;
    // Read before objects are counted: a request that ends meanwhile may leave an object that is not counted.
    const { hasAdmitted } = terminating;
    terminating.emptyAt = undefined;
    const emptied = await emptyNamespace(this.#context, name, millisFromTime(deletedAt) ?? 0);
    terminating.emptyAt = before + emptied.left;
    const current = await this.#report(namespace, emptied);
    const { unavailable, failures, left, estimateSeconds, reported } = emptied;
    const problems = [...(unavailable.length > 0 ? [discoveryFailure(unavailable)] : []), ...failures];
    if (problems.length > 0) throw new StatusError(unknown(problems.join(', ')));
    if (left === 0 && estimateSeconds === 0) {
      // When the admitted requests have ended, the key is added again.
      return hasAdmitted ? undefined : this.#finalize(current);
    }
    // Pods are given their grace period, which may end without an event.
    if (!reported || emptied.remaining === undefined)
      this.#queue.addAfter(name, (Math.floor(estimateSeconds / 2) + 1) * 1000);
    if (terminating.deleted >= terminating.emptyAt) this.#queue.add(name);
  }

  /** Writes the conditions. As in kube-controller-manager, a failure is logged and does not end the deletion. */
  async #report(namespace: Stored<Namespace>, emptied: EmptiedNamespace): Promise<Stored<Namespace>> {
    const { clock, logger } = this.#context;
    const now = formatTime(instantFromMillis(clock.now()));
    const { status } = namespace;
    const conditions = withDeletionConditions(status?.conditions ?? [], emptied, now);
    if (conditions === undefined && status?.phase === 'Terminating') return namespace;
    const changed = { ...status, phase: 'Terminating', ...(conditions && { conditions }) };
    try {
      return await this.#namespaces.updateStatus({ ...namespace, status: changed } as Stored<Namespace>);
    } catch (caught) {
      const reason = toError(caught).message;
      logger.debug('cannot update the conditions of a namespace', { namespace: namespace.metadata.name, reason });
      return namespace;
    }
  }

  /** Removes the finalizer of this loop. The server deletes a namespace without finalizers. */
  async #finalize(namespace: Stored<Namespace>): Promise<void> {
    const { name, uid } = namespace.metadata;
    let current: Stored<Namespace> | undefined = namespace;
    while (current?.metadata.uid === uid) {
      const finalizers = (current.spec?.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
      const body = { ...current, spec: { ...current.spec, finalizers: [...new Set(finalizers)].sort() } };
      try {
        await this.#namespaces.subresource(name, 'finalize').update(body);
        return;
      } catch (caught) {
        if (isNotFound(caught)) return;
        if (!isConflict(caught)) throw caught;
        current = await this.#namespaces.find(name);
      }
    }
  }
}

function nothing(): void {}
