/**
 * The objects of extension API servers for the owner graph. Each remote resource that can be listed, watched and
 * deleted has an informer of metadata, as in kubernetes/pkg/controller/garbagecollector/graph_builder.go. Without such
 * resources there is no informer.
 *
 * Invariant: an object counts as deleted only if its server says so, in a watch or by a list without it. The informer
 * of an unavailable or removed resource stops, and the graph keeps its objects until they are listed again.
 */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/api.ts';
import type { InformerSet } from '../../client/informer.ts';
import { createInformerSet } from '../../client/informer-set.ts';
import type { Stored, UntypedObject } from '../../client/object-types.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { ServedResource, ServedResources } from '../served-resources.ts';
import { recordOfObject } from './object-record.ts';
import type { ObjectRecord } from './owner-graph.ts';

export interface RemoteObjectsOptions {
  readonly client: Client;
  readonly served: ServedResources;
  readonly clock: Clock;
  readonly logger: Logger;
  random(): number;
  /** Takes an object that was listed or changed. Returns false if it does not concern the graph. */
  put(record: ObjectRecord): boolean;
  delete(uid: string): void;
  /** Called when the list of a resource is complete, with the uids of its objects. */
  listed(resource: ServedResource, uids: { has(uid: string): boolean }): void;
}

/** The objects of one resource. */
interface Followed {
  /**
   * The objects that exist, by uid. The value is the record that was put into the graph, undefined for an object that
   * the graph does not need.
   */
  readonly objects: Map<string, ObjectRecord | undefined>;
  /** Undefined while the resource is not available. */
  informers: InformerSet | undefined;
}

const VERBS = ['list', 'watch', 'delete'];

export class RemoteObjects {
  readonly #options: RemoteObjectsOptions;
  /** By `group/plural`. */
  readonly #followed = new Map<string, Followed>();
  readonly #stopping = new Set<Promise<void>>();

  constructor(options: RemoteObjectsOptions) {
    this.#options = options;
  }

  /** Begins to follow new resources and stops those that are gone. Called after each change of discovery. */
  update(): void {
    const wanted = new Map<string, ServedResource>();
    for (const resource of this.#options.served.list())
      if (resource.remote && VERBS.every((verb) => resource.verbs.includes(verb)))
        wanted.set(`${resource.group}/${resource.plural}`, resource);
    for (const [key, followed] of this.#followed) if (!wanted.has(key)) this.#pause(followed);
    for (const [key, resource] of wanted)
      if (this.#followed.get(key)?.informers === undefined) this.#follow(key, resource);
  }

  /** Puts all objects again, for a graph that is built from the beginning. */
  repeat(): void {
    for (const { objects } of this.#followed.values())
      for (const record of objects.values()) if (record !== undefined) this.#options.put(record);
  }

  /** Resolves when no request is under way. */
  async stop(): Promise<void> {
    for (const followed of this.#followed.values()) this.#pause(followed);
    await Promise.all(this.#stopping);
  }

  #follow(key: string, resource: ServedResource): void {
    const { client, clock, random, logger } = this.#options;
    const informers = createInformerSet({
      transport: client.transport,
      clock,
      random,
      onFailure: (error) =>
        logger.warn('cannot follow the objects of an extension API server, retrying', {
          group: resource.group,
          resource: resource.plural,
          reason: error.message,
        }),
    });
    const followed = this.#followed.get(key) ?? { objects: new Map(), informers: undefined };
    this.#followed.set(key, followed);
    followed.informers = informers;
    // Objects that are known from before a pause are gone if the first list does not contain them.
    const unlisted = new Set(followed.objects.keys());
    const put = (object: Stored<UntypedObject>): void => {
      const record = recordOfObject(object);
      unlisted.delete(record.uid);
      followed.objects.set(record.uid, this.#options.put(record) ? record : undefined);
    };
    const remove = (uid: string): void => {
      followed.objects.delete(uid);
      this.#options.delete(uid);
    };
    const registration = informers.informer(resource as Kind<UntypedObject>, { metadataOnly: true }).addHandler({
      onAdd: put,
      onUpdate: (_, object) => put(object),
      onDelete: ({ metadata }) => remove(metadata.uid),
    });
    registration.synced.then(
      () => {
        for (const uid of unlisted) remove(uid);
        this.#options.listed(resource, followed.objects);
      },
      () => undefined, // The informer was stopped before its first list.
    );
    informers.start();
  }

  #pause(followed: Followed): void {
    const { informers } = followed;
    if (informers === undefined) return;
    followed.informers = undefined;
    const stopped = informers.stop().finally(() => this.#stopping.delete(stopped));
    this.#stopping.add(stopped);
  }
}
