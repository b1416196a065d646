/**
 * The garbage collector: deletes objects whose owners are gone, and deletes or orphans the dependents of an owner that
 * is deleted with the propagation policy Foreground or Orphan. Changes of stored objects go into the owner graph; three
 * work queues carry out the work that the graph reports. Failures are retried per object with backoff, so a group that
 * is unavailable delays only the objects that it owns.
 */
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from '../../apimachinery/validation/validate-object-meta.ts';
import { Lifetime, type Stoppable } from '../../base/lifetime.ts';
import { processQueue } from '../../base/process-queue.ts';
import { WorkQueue } from '../../base/work-queue.ts';
import type { LoopContext, LoopDefinition } from '../loop.ts';
import type { ServedResource } from '../served-resources.ts';
import { StoredMetadata } from '../stored-metadata.ts';
import { CollectorRequests } from './collector-requests.ts';
import { recordOf } from './object-record.ts';
import {
  coordinatesKey,
  type Decision,
  groupOf,
  type ObjectIdentity,
  type ObjectRecord,
  OwnerGraph,
  type OwnerNode,
} from './owner-graph.ts';
import { RemoteObjects } from './remote-objects.ts';
import { reportInvalidNamespace } from './report-invalid-namespace.ts';

export const garbageCollector: LoopDefinition = {
  name: 'garbage-collector-controller',
  serviceAccount: 'generic-garbage-collector',
  start: (context) => {
    const collector = new GarbageCollector(context);
    collector.start();
    return collector;
  },
};

/**
 * More than kube-controller-manager's `--concurrent-gc-syncs` of 20, because concurrent writes share one sync of the
 * disk. Less than the 200 writes that the server has in flight by default, so that other clients are served.
 */
const AT_ONCE = 64;

class GarbageCollector implements Stoppable {
  readonly #context: LoopContext;
  readonly #requests: CollectorRequests;
  readonly #metadata = new StoredMetadata();
  readonly #graph: OwnerGraph;
  readonly #remote: RemoteObjects;
  readonly #attempts: WorkQueue<OwnerNode>;
  readonly #orphans: WorkQueue<OwnerNode>;
  /** Owners to look up, as keys of `#wanted`. */
  readonly #lookUps: WorkQueue<string>;
  readonly #wanted = new Map<string, ObjectIdentity>();
  /** Functions that queue work again whose kind was not served. Called when the served kinds change. */
  readonly #awaiting = new Set<() => void>();
  readonly #lifetime = new Lifetime('garbage collector');
  #working = false;

  constructor(context: LoopContext) {
    const { clock, served, client } = context;
    this.#context = context;
    this.#requests = new CollectorRequests(client);
    this.#attempts = new WorkQueue({ clock });
    this.#orphans = new WorkQueue({ clock });
    this.#lookUps = new WorkQueue({ clock });
    this.#graph = new OwnerGraph((apiVersion, kind) => served.find(apiVersion, kind)?.scope, {
      attempt: (node) => this.#attempts.add(node),
      orphan: (node) => this.#orphans.add(node),
      lookUp: (owner) => this.#wantLookUp(owner),
      invalidNamespace: (dependent, reference) => reportInvalidNamespace(context, dependent, reference),
    });
    this.#remote = new RemoteObjects({
      ...context,
      put: (record) => this.#putRemote(record),
      delete: (uid) => this.#graph.delete(uid),
      listed: ({ group, kind }, uids) => this.#graph.listed(group, kind, uids),
    });
  }

  start(): void {
    const { stored, served } = this.#context;
    for (const queue of [this.#attempts, this.#orphans, this.#lookUps]) this.#lifetime.add('queue', () => queue.stop());
    const following = stored.follow({
      reset: () => this.#graph.reset(),
      put: (value, revision) => this.#put(value, revision),
      delete: (value) => this.#delete(value),
      synced: () => {
        this.#remote.repeat();
        this.#graph.synced();
        this.#work();
        this.#remote.update();
      },
    });
    this.#lifetime.add('stored objects', () => following.stop());
    this.#lifetime.add('objects of extension API servers', () => this.#remote.stop());
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
   * Skips an object that has no owners, is not being deleted and is no owner in the graph. Most objects are like that,
   * and nothing of them is decoded.
   */
  #put(value: Uint8Array, revision: number): void {
    const metadata = this.#metadata;
    if (!metadata.read(value)) return;
    if (!metadata.hasOwners && !metadata.beingDeleted && (this.#graph.size === 0 || !this.#graph.has(metadata.uid)))
      return;
    this.#graph.put(recordOf(metadata, revision));
  }

  /** Skips the same objects as `#put`. Returns true if the graph got the object. */
  #putRemote(record: ObjectRecord): boolean {
    if (record.owners.length === 0 && !record.beingDeleted && !this.#graph.has(record.uid)) return false;
    this.#graph.put(record);
    return true;
  }

  #delete(value: Uint8Array): void {
    if (this.#graph.size > 0 && this.#metadata.read(value)) this.#graph.delete(this.#metadata.uid);
  }

  /**
   * Starts the queues when the graph is complete for the first time. An incomplete graph may lack an owner that exists.
   */
  #work(): void {
    if (this.#working) return;
    this.#working = true;
    const { logger } = this.#context;
    const onFailure = ({ identity }: OwnerNode, error: Error): void =>
      logger.warn('cannot collect an object, retrying', { ...shown(identity), reason: error.message });
    void processQueue(this.#attempts, { work: (node) => this.#attempt(node), onFailure, concurrency: AT_ONCE });
    void processQueue(this.#orphans, { work: (node) => this.#orphan(node), onFailure, concurrency: AT_ONCE });
    void processQueue(this.#lookUps, {
      work: (key) => this.#lookUpWanted(key),
      onFailure: (_, error) => logger.warn('cannot look an owner up, retrying', { reason: error.message }),
      concurrency: AT_ONCE,
    });
  }

  async #attempt(node: OwnerNode): Promise<void> {
    let found: Set<string> | undefined;
    for (;;) {
      const decision = this.#graph.decide(node, found);
      switch (decision.action) {
        case 'none':
          return;
        case 'look-up':
          found ??= new Set();
          for (const owner of decision.owners) if (await this.#lookUp(owner)) found.add(coordinatesKey(owner));
          break;
        case 'await-kind':
          this.#awaiting.add(() => this.#attempts.add(node));
          return;
        default:
          if (await this.#carryOut(node, decision)) return;
      }
    }
  }

  /** Resolves with false if the object has changed meanwhile, so that the decision must be made again. */
  async #carryOut(
    node: OwnerNode,
    decision: Extract<Decision, { action: 'finalize' | 'delete' | 'disown' }>,
  ): Promise<boolean> {
    const { identity, owners } = node;
    const resource = this.#resourceOf(identity);
    if (resource === undefined) {
      this.#awaiting.add(() => this.#attempts.add(node));
      return true;
    }
    if (decision.action === 'finalize') {
      await this.#requests.removeFinalizer(resource, identity, FINALIZER_FOREGROUND);
      return true;
    }
    if (decision.action === 'disown') {
      await this.#requests.disown(resource, identity, decision.uids);
      return true;
    }
    if (decision.unblock) await this.#requests.unblock(resource, identity, owners);
    // The patch of `unblock` has changed the resourceVersion.
    const resourceVersion = decision.unblock ? '' : node.resourceVersion;
    const { policy } = decision;
    const outcome = await this.#requests.delete(resource, identity, { policy, resourceVersion });
    if (outcome === 'deleted') this.#context.logger.debug('deleted an object', { ...shown(identity), policy });
    if (outcome === 'gone') this.#graph.delete(identity.uid);
    if (outcome !== 'changed') return true;
    if (!this.#graph.holds(node) || node.owners !== owners) return false;
    // Other fields have changed. Without the precondition, frequent updates do not delay the deletion.
    await this.#requests.delete(resource, identity, { policy, resourceVersion: '' });
    return true;
  }

  async #orphan(node: OwnerNode): Promise<void> {
    const { identity } = node;
    if (!this.#graph.holds(node)) return;
    const resource = this.#resourceOf(identity);
    if (resource === undefined) {
      this.#awaiting.add(() => this.#orphans.add(node));
      return;
    }
    const dependents = this.#graph.dependentsOf(node);
    for (let from = 0; from < dependents.length; from += AT_ONCE)
      await Promise.all(
        dependents.slice(from, from + AT_ONCE).map((dependent) => this.#disown(dependent, identity.uid)),
      );
    await this.#requests.removeFinalizer(resource, identity, FINALIZER_ORPHAN);
  }

  async #disown({ identity }: OwnerNode, owner: string): Promise<void> {
    const resource = this.#resourceOf(identity);
    if (resource !== undefined) await this.#requests.disown(resource, identity, [owner]);
  }

  #wantLookUp(owner: ObjectIdentity): void {
    const key = coordinatesKey(owner);
    this.#wanted.set(key, owner);
    this.#lookUps.add(key);
  }

  async #lookUpWanted(key: string): Promise<void> {
    const owner = this.#wanted.get(key);
    if (owner !== undefined && this.#graph.has(owner.uid)) await this.#lookUp(owner);
    this.#wanted.delete(key);
  }

  /** Tells the graph whether the owner exists. Resolves with true if it does. */
  async #lookUp(owner: ObjectIdentity): Promise<boolean> {
    const { served } = this.#context;
    const resource = served.find(owner.apiVersion, owner.kind);
    if (resource === undefined) {
      this.#awaiting.add(() => this.#wantLookUp(owner));
      return false;
    }
    const at = this.#graph.resolved(owner) ?? owner;
    // A cluster-scoped object names a namespaced owner: there is no namespace to look in.
    if (resource.scope === 'Namespaced' && at.namespace === '') return false;
    const exists = await this.#requests.exists(resource, at);
    if (exists) this.#graph.found(at);
    else this.#graph.absent(owner);
    return exists;
  }

  /** Returns the resource in its preferred version, because the stored version may no longer be served. */
  #resourceOf({ apiVersion, kind }: ObjectIdentity): ServedResource | undefined {
    return this.#context.served.findKind(groupOf(apiVersion), kind);
  }

  #kindsChanged(): void {
    if (this.#working) this.#remote.update();
    const waiting = [...this.#awaiting];
    this.#awaiting.clear();
    for (const retry of waiting) retry();
  }
}

function shown({ apiVersion, kind, namespace, name }: ObjectIdentity): Record<string, string> {
  return { apiVersion, kind, namespace, name };
}
