/**
 * The allocator of node ports. A port is allocated while a stored Service has it, or while a running request has
 * claimed it for a Service.
 * Invariant: a claim is dropped only after the lister has seen the Service that was written under it, so no port is
 * allocated twice. Nothing is stored besides the Services.
 */

import type { JsonObject } from '../../base/json-value.ts';
import type { ListerChange } from '../../server/own/lister.ts';

import type { KubeContext } from '../kube-context.ts';
import { candidatePorts, formatPortRange, type PortRange, portRangeContains } from './port-range.ts';

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

  /** `portsOf` returns every node port of a stored Service. */
  constructor(kube: KubeContext, range: PortRange, portsOf: (service: JsonObject) => readonly number[]) {
    this.#kube = kube;
    this.#range = range;
    this.#portsOf = portsOf;
  }

  /** Starts the allocation of one request, after the lister has seen every answered write. */
  async start(dryRun: boolean): Promise<NodePortOperation> {
    const lister = this.#kube.lister('services');
    await lister.fresh();
    if (!this.#subscribed) {
      this.#subscribed = true;
      lister.subscribe((changes) => this.#apply(changes));
    }
    return new NodePortOperation(
      {
        range: this.#range,
        isAllocated: (port) => this.#used.has(port) || this.#claimed.has(port),
        random: (below) => this.#kube.host.random(below),
        claim: (port) => this.#claimed.add(port),
        drop: (port) => this.#claimed.delete(port),
        fresh: async () => lister.fresh(),
      },
      dryRun,
    );
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
interface Ports {
  readonly range: PortRange;
  isAllocated(port: number): boolean;
  random(below: number): number;
  claim(port: number): unknown;
  drop(port: number): unknown;
  /** Resolves when the lister has seen every answered write. */
  fresh(): Promise<void>;
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
  allocate(port: number): string | undefined {
    const { range, isAllocated, claim } = this.#ports;
    if (this.#dryRun) {
      if (isAllocated(port) || this.#claimed.has(port)) return ALLOCATED;
    } else {
      if (!portRangeContains(range, port))
        return `provided port is not in the valid range. The range of valid ports is ${formatPortRange(range)}`;
      if (isAllocated(port)) return ALLOCATED;
      claim(port);
    }
    this.#add(port);
    return undefined;
  }

  /** Allocates any free port. Returns undefined if there is none. */
  allocateNext(): number | undefined {
    if (this.#dryRun) {
      const port = (this.#claimed.size === 0 ? 32768 : this.#highest) + 1;
      this.#add(port);
      return port;
    }
    for (const port of candidatePorts(this.#ports.range, this.#ports.random))
      if (this.allocate(port) === undefined) return port;
    return undefined;
  }

  /** Called after the Service is stored. Drops the claims when the lister has seen the Service. */
  async commit(): Promise<void> {
    if (this.#dryRun || this.#claimed.size === 0) return;
    try {
      await this.#ports.fresh();
    } finally {
      this.revert();
    }
  }

  /** Called if the Service is not stored. Frees the ports. */
  revert(): void {
    if (!this.#dryRun) for (const port of this.#claimed) this.#ports.drop(port);
    this.#claimed.clear();
    this.#highest = 0;
  }

  #add(port: number): void {
    this.#claimed.add(port);
    this.#highest = Math.max(this.#highest, port);
  }
}
