/**
 * The loop of ResourceQuotas: keeps `status.hard` equal to the spec, and `status.used` equal to the usage of the
 * objects in the namespace. Admission adds the usage of a request before it is stored; this loop counts the objects
 * when the spec changes, when an object is deleted or uses less, and from time to time.
 *
 * Objects are read from storage, and stored objects are followed only while a quota exists, so a server without quotas
 * pays nothing.
 */
import type { GroupResource } from '../../apimachinery/meta/gvk.ts';
import { isConflict, StatusError } from '../../apimachinery/status/status.ts';
import { unknown } from '../../apimachinery/status/status-catalogue.ts';
import type { Timer } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import { Lifetime, type Stoppable } from '../../base/lifetime.ts';
import { LOW_PRIORITY } from '../../base/work-queue.ts';
import type { Informer } from '../../client/informer.ts';
import type { Stored, UntypedObject } from '../../client/object-types.ts';
import { keyOf, parseKey } from '../../controller/keys.ts';
import { ResourceQuota } from '../../kinds/api/core/v1.ts';
import type { Kind } from '../../kinds/kind.ts';
import { KeyedLoop } from '../keyed-loop.ts';
import type { LoopContext, LoopDefinition } from '../loop.ts';
import { unlessGone } from '../outdated-writes.ts';
import type { ServedResource } from '../served-resources.ts';
import { StoredMetadata } from '../stored-metadata.ts';
import type { Quota, QuotaTally } from './quota-rules.ts';

export const resourceQuotaLoop: LoopDefinition = {
  name: 'resourcequota-controller',
  serviceAccount: 'resourcequota-controller',
  start: (context) => {
    const loop = new ResourceQuotaLoop(context);
    loop.start();
    return loop;
  },
};

/**
 * Quotas count resources that have these verbs, like `GetQuotableResources` in kubernetes/pkg/controller/resourcequota.
 */
const QUOTABLE_VERBS = ['create', 'list', 'watch', 'delete'];
/**
 * After a count, deletions start the next count of the same quota when PAUSE times the duration of the count has
 * passed, or LONGEST_PAUSE_MS if that is less.
 */
const PAUSE = 10;
const LONGEST_PAUSE_MS = 10_000;

class ResourceQuotaLoop implements Stoppable {
  readonly #context: LoopContext;
  readonly #quotas: Informer<ResourceQuota>;
  readonly #loop: KeyedLoop;
  readonly #lifetime = new Lifetime('loop of resource quotas');
  readonly #metadata = new StoredMetadata();
  /** The monotonic time from which a quota may be counted again, by key. */
  readonly #earliest = new Map<string, number>();
  /** Quotas whose status could not be written because the informer has not seen their newest state. */
  readonly #outdated = new Set<string>();
  /** The resources of a quota, which its spec determines. */
  readonly #resources = new WeakMap<Quota, readonly GroupResource[]>();
  #following: { stop(): void } | undefined;
  #resync: Timer | undefined;

  constructor(context: LoopContext) {
    this.#context = context;
    this.#quotas = context.informers.informer(ResourceQuota);
    this.#loop = new KeyedLoop(context);
  }

  start(): void {
    const { served } = this.#context;
    this.#lifetime.add('queue', () => this.#loop.stop());
    this.#lifetime.add('stored objects', () => this.#following?.stop());
    this.#lifetime.add('resync', () => this.#resync?.cancel());
    this.#loop.follow(this.#quotas, (quota, before) => this.#keysOf(quota, before));
    this.#loop.start(this.#context, {
      failure: 'cannot count the usage of a ResourceQuota, retrying',
      sync: (key) => this.#sync(key),
    });
    const changes = served.onChange(() => this.#kindsChanged());
    this.#lifetime.add('served kinds', () => changes.stop());
    this.#scheduleResync();
  }

  stop(): Promise<void> {
    return this.#lifetime.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /**
   * Returns the key if the limits have changed, or if an outdated write waits for this update. Other updates are those
   * of the status, by admission or this loop.
   */
  #keysOf(quota: Quota, before: Quota | undefined): string[] {
    this.#follow();
    const key = keyOf(quota);
    const hasNewLimits = before === undefined || JSON.stringify(before.spec?.hard) !== JSON.stringify(quota.spec?.hard);
    return this.#outdated.delete(key) || hasNewLimits ? [key] : [];
  }

  /** Follows stored objects while there are quotas. */
  #follow(): void {
    if (this.#quotas.store.size > 0 === (this.#following !== undefined)) return;
    if (this.#following !== undefined) {
      this.#following.stop();
      this.#following = undefined;
      return;
    }
    this.#following = this.#context.stored.follow(
      {
        reset: () => undefined,
        // Changes before `synced` may have been missed.
        synced: () => this.#addAll(),
        put: (value, _, previous) => {
          if (previous !== undefined) this.#changed(value, previous);
        },
        delete: (value) => this.#changed(value, undefined),
      },
      { from: 'now' },
    );
  }

  #addAll(): void {
    for (const key of this.#quotas.store.keys()) this.#loop.add(key, LOW_PRIORITY);
  }

  #scheduleResync(): void {
    const { clock, resourceQuotaSyncMs } = this.#context;
    if (resourceQuotaSyncMs === 0) return;
    const resync = (): void => {
      this.#addAll();
      this.#scheduleResync();
    };
    this.#resync = clock.setTimer(resourceQuotaSyncMs, resync, { background: true });
  }

  /** A new kind may be one that a quota limits already. */
  #kindsChanged(): void {
    for (const quota of this.#quotas.store.list()) {
      const used = quota.status?.used ?? {};
      if (Object.keys(quota.spec?.hard ?? {}).some((name) => !(name in used))) this.#loop.add(keyOf(quota));
    }
  }

  /** An object was updated, or deleted if `previous` is undefined. */
  #changed(value: Uint8Array, previous: Uint8Array | undefined): void {
    if (!this.#metadata.read(value)) return;
    const { namespace, apiVersion, kind } = this.#metadata;
    const quotas = namespace === '' ? [] : this.#quotas.store.list({ namespace });
    if (quotas.length === 0) return;
    const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [];
    const plural = this.#context.served.findKind(group, kind)?.plural;
    for (const quota of quotas) {
      const resource = this.#resourcesOf(quota).find((each) => each.group === group && each.resource === plural);
      if (resource === undefined) continue;
      if (previous === undefined || this.#changesUsage(quota, resource, previous, value)) this.#replenish(keyOf(quota));
    }
  }

  #changesUsage(quota: Quota, resource: GroupResource, previous: Uint8Array, value: Uint8Array): boolean {
    if (!this.#context.quotaRules.tally(quota, resource).readsObjects) return false;
    const [before, after] = [objectIn(previous), objectIn(value)];
    if (before === undefined || after === undefined) return true;
    return this.#context.quotaRules.changesUsage(quota, resource, before, after);
  }

  /**
   * Adds the key, after a pause if the quota was counted a moment ago: a large namespace is not counted for each
   * deletion.
   */
  #replenish(key: string): void {
    const wait = (this.#earliest.get(key) ?? 0) - this.#context.clock.monotonic();
    if (wait > 0) this.#loop.addAfter(key, wait);
    else this.#loop.add(key);
  }

  #resourcesOf(quota: Quota): readonly GroupResource[] {
    let resources = this.#resources.get(quota);
    if (resources === undefined) {
      resources = this.#context.quotaRules.resourcesOf(quota);
      this.#resources.set(quota, resources);
    }
    return resources;
  }

  async #sync(key: string): Promise<void> {
    const { client, clock, quotaRules, writes } = this.#context;
    const quota = this.#quotas.store.getByKey(key);
    if (quota === undefined) {
      this.#earliest.delete(key);
      this.#outdated.delete(key);
      return;
    }
    const started = clock.monotonic();
    const { namespace = '' } = parseKey(key);
    const running = writes.ended(namespace);
    const failures: string[] = [];
    const tallies = await this.#count(quota, namespace, failures);
    const now = clock.monotonic();
    this.#earliest.set(key, now + Math.min(PAUSE * (now - started), LONGEST_PAUSE_MS));
    const status = quotaRules.statusOf(quota, tallies);
    if (status !== undefined) {
      try {
        const api = client.api(ResourceQuota, namespace);
        await unlessGone(api.updateStatus({ ...quota, status } as Stored<ResourceQuota>));
        // Admission may have counted a request whose object was not stored yet, and the new status lacks it.
        void running?.then(() => this.#loop.add(key));
      } catch (caught) {
        if (!isConflict(caught)) throw caught;
        this.#retry(key, quota);
      }
    }
    if (failures.length > 0) throw new StatusError(unknown(failures.join(', ')));
  }

  /**
   * Called after a conflict: the quota has changed since it was read. The informer has the new state already, or
   * reports it later.
   */
  #retry(key: string, quota: Quota): void {
    const current = this.#quotas.store.getByKey(key);
    if (current !== undefined && current.metadata.resourceVersion !== quota.metadata.resourceVersion)
      this.#loop.add(key);
    else this.#outdated.add(key);
  }

  /** A resource that cannot be read keeps its recorded usage, and the others are counted. */
  async #count(quota: Quota, namespace: string, failures: string[]): Promise<QuotaTally[]> {
    const tallies: QuotaTally[] = [];
    for (const resource of this.#resourcesOf(quota)) {
      const served = this.#servedAs(resource);
      if (served === undefined) continue;
      const tally = this.#context.quotaRules.tally(quota, resource);
      try {
        await this.#countObjects(served, namespace, tally);
        tallies.push(tally);
      } catch (caught) {
        failures.push(toError(caught).message);
      }
    }
    return tallies;
  }

  async #countObjects(served: ServedResource, namespace: string, tally: QuotaTally): Promise<void> {
    const { client, stored } = this.#context;
    if (tally.readsObjects) {
      for await (const value of stored.values(served, namespace)) {
        const object = objectIn(value);
        if (object !== undefined) tally.add(object);
      }
      return;
    }
    const count = await stored.count(served, namespace);
    if (count !== undefined) return tally.addCount(count);
    for await (const _ of client.api(served as Kind<UntypedObject>, namespace).list()) tally.addCount(1);
  }

  #servedAs({ group, resource }: GroupResource): ServedResource | undefined {
    const served = this.#context.served
      .list()
      .find((each) => each.group === group && each.plural === resource && each.scope === 'Namespaced');
    return served !== undefined && QUOTABLE_VERBS.every((verb) => served.verbs.includes(verb)) ? served : undefined;
  }
}

function objectIn(bytes: Uint8Array): JsonObject | undefined {
  const read = readJson(bytes);
  return read.ok && isJsonObject(read.value) ? read.value : undefined;
}
