/** A control plane in memory on a virtual clock, and short ways to write to it. */

import type { LogFields } from '../../src/base/logger.ts';
import { VirtualClock } from '../../src/base/virtual-clock.ts';
import type { Api, Client, DeleteOptions } from '../../src/client/api.ts';
import { createClient } from '../../src/client/create-client.ts';
import { type CompletedOptions, completeOptions } from '../../src/controlplane/complete-options.ts';
import type { ControlPlane } from '../../src/controlplane/control-plane.ts';
import { nodePlatform } from '../../src/controlplane/node/node-platform.ts';
import { type PartialOptions, type ServerOptions, serverOptions } from '../../src/controlplane/options.ts';
import { startControlPlane } from '../../src/controlplane/start.ts';
import { ConfigMap } from '../../src/kinds/api/core/v1.ts';
import type { OutboundClient } from '../../src/server/http/outbound.ts';
import { changedStorage } from '../../src/storage/changed-storage.fixtures.ts';
import type { Storage } from '../../src/storage/storage.ts';

export interface Plane {
  readonly plane: ControlPlane;
  readonly client: Client;
  readonly clock: VirtualClock;
  /** Warnings and errors of the log. */
  readonly problems: string[];
}

export interface PlaneParts {
  /** Default: the outbound client of Node. */
  readonly outbound?: OutboundClient;
  /** Default: a clock of its own. */
  readonly clock?: VirtualClock;
}

/** Default: a storage in memory. */
export async function startPlane(
  options: PartialOptions<ServerOptions> = {},
  storage?: Storage,
  { outbound, clock = new VirtualClock() }: PlaneParts = {},
): Promise<Plane> {
  const given = serverOptions({ storage: 'memory', dataDir: '', serving: { port: 0 }, ...options });
  const problems: string[] = [];
  const note = (message: string, fields?: LogFields): void =>
    void problems.push(`${message} ${JSON.stringify(fields ?? {})}`);
  const completed = await completeOptions(given, {
    ...nodePlatform,
    ...(outbound && { createOutboundClient: () => outbound }),
    clock,
  });
  const plane = await startControlPlane(storage === undefined ? completed : withStorage(completed, storage), {
    logger: {
      debug: () => undefined,
      info: () => undefined,
      warn: note,
      error: (message, error, fields) => note(`${message}: ${error?.message}`, fields),
    },
  });
  await plane.ready;
  return { plane, client: createClient(plane.transport), clock, problems };
}

function withStorage(completed: CompletedOptions, storage: Storage): CompletedOptions {
  const platform = { ...completed.platform, openStorage: async () => storage };
  return { ...completed, platform, options: { ...completed.options, storage: 'lmdb' } };
}

/** A storage as one of several servers sees it that share it: not embedded, and it stays open when the server stops. */
export function sharedStorage(inner: Storage): Storage {
  return changedStorage(inner, { embedded: false, stop: () => Promise.resolve() });
}

/** A shared storage whose watches can be held up, as those of a server that lags behind the others. */
export interface LaggingStorage {
  readonly storage: Storage;
  hold(): void;
  /** Delivers everything that was held up, in order. */
  release(): void;
}

export function laggingStorage(inner: Storage): LaggingStorage {
  const held: (() => void)[] = [];
  let isHeld = false;
  const pass = (deliver: () => void): void => {
    if (isHeld) held.push(deliver);
    else deliver();
  };
  const watch: Storage['watch'] = (options, sink) =>
    inner.watch(options, {
      events: (events) => pass(() => sink.events(events)),
      progress: (revision) => pass(() => sink.progress(revision)),
      end: (reason) => pass(() => sink.end(reason)),
    });
  return {
    storage: changedStorage(sharedStorage(inner), { watch }),
    hold: () => {
      isHeld = true;
    },
    release: () => {
      isHeld = false;
      for (const deliver of held.splice(0)) deliver();
    },
  };
}

/** Lets the server work until the check passes. Throws after 2,000 turns without success. */
export async function until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 2000; turn++) {
    if (await check()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new TypeError(`never: ${what}`);
}

/** ConfigMaps in one namespace as nodes of an owner graph. */
export class Family {
  readonly #plane: Plane;
  readonly #namespace: string;

  constructor(plane: Plane, namespace = 'default') {
    this.#plane = plane;
    this.#namespace = namespace;
  }

  get api(): Api<ConfigMap> {
    return this.#plane.client.api(ConfigMap, this.#namespace);
  }

  /** Creates a ConfigMap with owners, which must exist, or whose uid is given after a colon: `name:uid`. */
  async create(
    name: string,
    owners: readonly string[] = [],
    { block = false, finalizers = [] }: { readonly block?: boolean; readonly finalizers?: string[] } = {},
  ): Promise<string> {
    const ownerReferences = await Promise.all(
      owners.map(async (text) => {
        const [owner = '', uid = await this.uid(owner)] = text.split(':');
        return { apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid, blockOwnerDeletion: block };
      }),
    );
    const made = await this.api.create({ metadata: { name, namespace: this.#namespace, ownerReferences, finalizers } });
    return made.metadata.uid;
  }

  async uid(name: string): Promise<string> {
    return (await this.api.get(name)).metadata.uid;
  }

  async delete(
    name: string,
    propagationPolicy: NonNullable<DeleteOptions['propagationPolicy']> = 'Background',
  ): Promise<void> {
    await this.api.delete(name, { propagationPolicy });
  }

  /** The names of the ConfigMaps, sorted, without those of the server. */
  async names(): Promise<string[]> {
    const all = await this.api.list().toArray();
    return all
      .map(({ metadata }) => metadata.name)
      .filter((name) => name !== 'kube-root-ca.crt')
      .sort();
  }

  async survivors(...names: string[]): Promise<void> {
    const expected = names.sort().join();
    let seen: string[] = [];
    try {
      await until('', async () => {
        seen = await this.names();
        return seen.join() === expected;
      });
    } catch {
      throw new TypeError(`expected ${expected || 'nothing'} to survive, not ${seen.join()}`);
    }
  }

  async owners(name: string): Promise<string[]> {
    return ((await this.api.get(name)).metadata.ownerReferences ?? []).map((owner) => owner.name);
  }
}
