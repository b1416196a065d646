/**
 * The loop that registers local group-versions: it maintains an APIService for each version that the servers of this
 * process publish in discovery. Names and priorities are those of discovery.
 *
 * Invariants: an APIService without the label AUTOMANAGED is never written. All writes at the start are made in one
 * turn, so that they share a commit.
 */

import { objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../apimachinery/status/status.ts';
import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { processQueue } from '../../base/process-queue.ts';
import { WorkQueue } from '../../base/work-queue.ts';
import type { DiscoveryManager } from '../../server/discovery/discovery-manager.ts';
import type { DiscoveryVersion } from '../../server/discovery/discovery-publisher.ts';
import type { Lister } from '../../server/own/lister.ts';
import type { OwnWriter } from '../../server/own/own-writer.ts';
import { AUTOMANAGED, type Automanaged, decideRegistration } from './decide-registration.ts';

export interface AutoRegistrationOptions {
  readonly clock: Clock;
  readonly discovery: Pick<DiscoveryManager, 'localVersions' | 'getLocal' | 'onChange'>;
  /** The APIServices. */
  readonly apiServices: Lister;
  readonly writer: OwnWriter;
  /** The names of APIServices that are not created although their version is served. Default: none. */
  readonly unregistered?: readonly string[];
  onFailure(name: string, error: Error): void;
}

/** The aggregator's own group is not registered, as in kube-apiserver. */
const OWN_GROUP = 'apiregistration.k8s.io';

export class AutoRegistration {
  readonly #options: AutoRegistrationOptions;
  readonly #queue: WorkQueue;
  /** Local versions by the name of their APIService. */
  readonly #desired = new Map<string, DiscoveryVersion>();
  readonly #atStart = new Set<string>();
  readonly #synced = new Set<string>();
  readonly #subscriptions: (() => void)[] = [];

  constructor(options: AutoRegistrationOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ clock: options.clock });
  }

  /**
   * Registers the versions in discovery, removes the automatic registrations of versions that no longer exist, and then
   * follows changes. Called once, after every server has published its stored resources. Rejects with the first failed
   * write.
   */
  async start(): Promise<void> {
    const { discovery, apiServices } = this.#options;
    for (const version of discovery.localVersions()) this.#want(version);
    const stored = apiServices.list().map((object) => textAt(object, 'metadata', 'name'));
    for (const name of stored) this.#atStart.add(name);
    await Promise.all([...new Set([...this.#desired.keys(), ...stored])].map((name) => this.#sync(name)));
    this.#subscriptions.push(
      discovery.onChange(({ group, version }) => this.#published(group, version)),
      this.#followApiServices(),
    );
    void processQueue(this.#queue, {
      work: (name) => this.#sync(name),
      onFailure: (name, error) => this.#options.onFailure(name, error),
    });
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    await this.#queue.stop();
  }

  #followApiServices(): () => void {
    const subscription = this.#options.apiServices.subscribe((changes) => {
      for (const { name, object } of changes)
        if (this.#desired.has(name) || (object !== undefined && managedBy(object) !== undefined)) this.#queue.add(name);
    });
    return () => subscription.stop();
  }

  #published(group: string, version: string): void {
    const name = `${version}.${group}`;
    if (!this.#isRegistered(group, name)) return;
    const before = this.#desired.get(name);
    const after = this.#options.discovery.getLocal({ group, version });
    if (after === undefined) this.#desired.delete(name);
    else this.#desired.set(name, after);
    // Each custom resource of a group publishes its version again, which usually changes no APIService.
    if (before === undefined || after === undefined || !isSameRegistration(before, after)) this.#queue.add(name);
  }

  #want(version: DiscoveryVersion): void {
    const name = `${version.version}.${version.group}`;
    if (this.#isRegistered(version.group, name)) this.#desired.set(name, version);
  }

  #isRegistered(group: string, name: string): boolean {
    return group !== OWN_GROUP && this.#options.unregistered?.includes(name) !== true;
  }

  /**
   * Syncs one APIService. A conflict with another writer is not an error: the lister reports that write, and the
   * APIService is synced again.
   */
  async #sync(name: string): Promise<void> {
    const desired = this.#desired.get(name);
    const { apiServices, writer } = this.#options;
    const current = apiServices.get('', name);
    if (desired === undefined && current === undefined) {
      this.#atStart.delete(name);
      this.#synced.delete(name);
      return;
    }
    const decision = decideRegistration({
      desired: desired && modeOf(desired),
      current: current && {
        managed: managedBy(current),
        atStart: this.#atStart.has(name),
        matches: desired !== undefined && isRegistered(current, desired),
      },
      synced: this.#synced.has(name),
    });
    const target = { namespace: '', name };
    try {
      if (decision === 'delete') await writer.deleteIfPresent(target, textAt(current ?? {}, 'metadata', 'uid'));
      else if (decision === 'create' && desired !== undefined) await writer.create(apiServiceOf(desired));
      else if (decision === 'update' && current !== undefined && desired !== undefined) {
        const restore = (stored: JsonObject): void => {
          stored['spec'] = specOf(desired);
        };
        const preconditions = { uid: textAt(current, 'metadata', 'uid'), resourceVersion: undefined };
        await writer.update(target, restore, { preconditions });
      }
    } catch (error) {
      if (!isAlreadyExists(error) && !isNotFound(error) && !isConflict(error)) throw error;
    }
    this.#synced.add(name);
  }
}

/** Groups that a server owns as a whole are built in. Other groups are those of custom resources. */
function modeOf({ ownsGroup = false }: DiscoveryVersion): Automanaged {
  return ownsGroup ? 'onstart' : 'true';
}

function managedBy(object: JsonObject): Automanaged | undefined {
  const label = textAt(object, 'metadata', 'labels', AUTOMANAGED);
  return label === 'onstart' || label === 'true' ? label : undefined;
}

function isSameRegistration(a: DiscoveryVersion, b: DiscoveryVersion): boolean {
  return a.groupPriority === b.groupPriority && a.versionPriority === b.versionPriority && modeOf(a) === modeOf(b);
}

function apiServiceOf(version: DiscoveryVersion): JsonObject {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version.version}.${version.group}`, labels: { [AUTOMANAGED]: modeOf(version) } },
    spec: specOf(version),
  };
}

function specOf({ group, version, groupPriority, versionPriority }: DiscoveryVersion): JsonObject {
  return { ...(group !== '' && { group }), version, groupPriorityMinimum: groupPriority, versionPriority };
}

function isRegistered(object: JsonObject, version: DiscoveryVersion): boolean {
  const wanted = specOf(version);
  const spec = objectAt(object, 'spec') ?? {};
  const names = new Set([...Object.keys(wanted), ...Object.keys(spec)]);
  for (const name of names) if (spec[name] !== wanted[name]) return false;
  return true;
}
