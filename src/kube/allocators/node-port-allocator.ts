/**
 * The allocator of node ports. On embedded storage a port is allocated while a stored Service has it, or while a
 * running request has claimed it for a Service. Nothing is stored besides the Services. Invariant: a claim is dropped
 * only after the lister has seen the Service that was written under it, so no port is allocated twice. Servers that
 * share a storage claim ports there (`stored-ports.ts`).
 */

import type { JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { ListerChange } from '../../server/own/lister.ts';

import type { KubeContext } from '../kube-context.ts';
import { candidatePorts, formatPortRange, type PortRange, portRangeContains } from './port-range.ts';
import { StoredPorts } from './stored-ports.ts';

const ALLOCATED = 'provided port is already allocated';

export class NodePortAllocator {
  readonly #kube: KubeContext;
  readonly #range: PortRange;
  readonly #portsOf: (service: JsonObject) => readonly number[];
  /** The number of Services by port, and the ports by Service. */
  readonly #used = new Map<number, number>();
  readonly #byService = new Map<string, readonly number[]>();
  readonly #claimed = new Set<number>();
  #subscribed = false;
  #stored: StoredPorts | undefined;

  /** `portsOf` returns every node port of a stored Service. */
  constructor(kube: KubeContext, range: PortRange, portsOf: (service: JsonObject) => readonly number[]) {
    this.#kube = kube;
    this.#range = range;
    this.#portsOf = portsOf;
  }

  /** Starts the allocation of one request, after the lister has seen every answered write. */
  async start(dryRun: boolean): Promise<NodePortOperation> {
    if (!this.#kube.host.storage.embedded) return this.#startStored(dryRun);
    const lister = this.#kube.lister('services');
    await lister.fresh();
    if (!this.#subscribed) {
      this.#subscribed = true;
      lister.subscribe((changes) => this.#apply(changes));
    }
    const isAllocated = (port: number): boolean => this.#used.has(port) || this.#claimed.has(port);
    const claim = (port: number): boolean => {
      if (isAllocated(port)) return false;
      this.#claimed.add(port);
      return true;
    };
    const drop = (ports: Iterable<number>): void => {
      for (const port of ports) this.#claimed.delete(port);
    };
    return new NodePortOperation(
      {
        range: this.#range,
        isAllocated,
        claim,
        claimNext: () => {
          for (const port of candidatePorts(this.#range, (below) => this.#kube.host.random(below)))
            if (claim(port)) return port;
          return undefined;
        },
        drop,
        keep: async (ports) => {
          try {
            await lister.fresh();
          } finally {
            drop(ports);
          }
        },
      },
      dryRun,
    );
  }

  /** Called after the write that removed the ports from a Service. */
  async release(ports: readonly number[]): Promise<void> {
    if (!this.#kube.host.storage.embedded) await this.#storedPorts().release(ports);
  }

  async #startStored(dryRun: boolean): Promise<NodePortOperation> {
    const stored = this.#storedPorts();
    const present = dryRun ? await stored.read() : undefined;
    return new NodePortOperation(
      {
        range: this.#range,
        isAllocated: (port) => present?.has(port) === true,
        claim: (port) => stored.claim(port),
        claimNext: () => stored.claimNext(),
        drop: (ports) => stored.release(ports),
        keep: () => undefined,
      },
      dryRun,
    );
  }

  #storedPorts(): StoredPorts {
    this.#stored ??= new StoredPorts({ kube: this.#kube, range: this.#range, portsOf: this.#portsOf });
    return this.#stored;
  }

  #apply(changes: readonly ListerChange[]): void {
    for (const { namespace, name, object } of changes) {
      const key = `${namespace}/${name}`;
      for (const port of this.#byService.get(key) ?? []) this.#count(port, -1);
      const ports = object === undefined ? [] : this.#portsOf(object);
      for (const port of ports) this.#count(port, 1);
      if (ports.length > 0) this.#byService.set(key, ports);
      else this.#byService.delete(key);
    }
  }

  #count(port: number, by: number): void {
    const count = (this.#used.get(port) ?? 0) + by;
    if (count > 0) this.#used.set(port, count);
    else this.#used.delete(port);
  }
}

/** The allocator's state as an operation sees it. */
export interface Ports {
  readonly range: PortRange;
  /** Asked in dry runs only. */
  isAllocated(port: number): boolean;
  /** Returns false if the port is allocated. */
  claim(port: number): MaybePromise<boolean>;
  /** Claims any free port. Returns undefined if there is none. */
  claimNext(): MaybePromise<number | undefined>;
  /** Frees claimed ports. */
  drop(ports: Iterable<number>): MaybePromise<void>;
  /** Called after the Service with the claimed ports is stored. */
  keep(ports: Iterable<number>): MaybePromise<void>;
}

/**
 * The allocation of node ports for one request (upstream: PortAllocationOperation). As in the reference, a dry run
 * allocates nothing and invents free ports above 32768. The caller ends the operation with `commit` or `revert`.
 */
export class NodePortOperation {
  readonly #ports: Ports;
  readonly #dryRun: boolean;
  readonly #claimed = new Set<number>();
  #highest = 0;

  constructor(ports: Ports, dryRun: boolean) {
    this.#ports = ports;
    this.#dryRun = dryRun;
  }

  /** Returns undefined if the port was allocated, otherwise the reference's message why it was not. */
  allocate(port: number): MaybePromise<string | undefined> {
    const { range, isAllocated, claim } = this.#ports;
    if (this.#dryRun) return this.#added(port, !isAllocated(port) && !this.#claimed.has(port));
    if (!portRangeContains(range, port))
      return `provided port is not in the valid range. The range of valid ports is ${formatPortRange(range)}`;
    return andThen(claim(port), (isFree) => this.#added(port, isFree));
  }

  /** Allocates any free port. Returns undefined if there is none. */
  allocateNext(): MaybePromise<number | undefined> {
    if (!this.#dryRun)
      return andThen(this.#ports.claimNext(), (port) => {
        if (port !== undefined) this.#add(port);
        return port;
      });
    const port = (this.#claimed.size === 0 ? 32768 : this.#highest) + 1;
    this.#add(port);
    return port;
  }

  /** Called after the Service is stored. */
  async commit(): Promise<void> {
    if (!this.#dryRun && this.#claimed.size > 0) await this.#ports.keep(this.#claimed);
  }

  /** Called if the Service is not stored. Frees the ports. */
  async revert(): Promise<void> {
    if (!this.#dryRun && this.#claimed.size > 0) await this.#ports.drop(this.#claimed);
    this.#claimed.clear();
    this.#highest = 0;
  }

  #added(port: number, isFree: boolean): string | undefined {
    if (!isFree) return ALLOCATED;
    this.#add(port);
    return undefined;
  }

  #add(port: number): void {
    this.#claimed.add(port);
    this.#highest = Math.max(this.#highest, port);
  }
}
