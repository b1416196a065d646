/**
 * Node ports: a port is taken as long as a stored Service has it, or a request is about to store one that does. Invariant: nothing is kept beside storage; a claim is dropped
 * only when the state that is looked at holds what was written under it, so that no port is handed out twice.
 */
import { numberAt, objectAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { ListerChange } from '../../server/own/lister.ts';
import { needsHealthCheckPort, nodePorts } from '../groups/core/service/service-fields.ts';
import type { KubeContext } from '../kube-context.ts';
import { candidatePorts, formatPortRange, type PortRange, portRangeContains } from './port-range.ts';

const TAKEN = 'provided port is already allocated';

export class NodePorts {
  readonly #world: KubeContext;
  readonly #range: PortRange;
  /** How many Services have a port, and which ports a Service has. */
  readonly #used = new Map<number, number>();
  readonly #byService = new Map<string, readonly number[]>();
  readonly #claimed = new Set<number>();
  #subscribed = false;

  constructor(world: KubeContext, range: PortRange) {
    this.#world = world;
    this.#range = range;
  }

  /** A claim on ports, with the state that is stored now. */
  async claim(dryRun: boolean): Promise<NodePortClaim> {
    const lister = this.#world.lister('services');
    await lister.fresh();
    if (!this.#subscribed) {
      this.#subscribed = true;
      lister.subscribe((changes) => this.#follow(changes));
    }
    return new NodePortClaim(
      {
        range: this.#range,
        isTaken: (port) => this.#used.has(port) || this.#claimed.has(port),
        random: (below) => this.#world.host.random(below),
        take: (port) => this.#claimed.add(port),
        drop: (port) => this.#claimed.delete(port),
        settled: async () => lister.fresh(),
      },
      dryRun,
    );
  }

  #follow(changes: readonly ListerChange[]): void {
    for (const { namespace, name, object } of changes) {
      const key = `${namespace}/${name}`;
      for (const port of this.#byService.get(key) ?? []) this.#count(port, -1);
      const ports = object === undefined ? [] : portsOf(objectAt(object, 'spec') ?? {});
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

function portsOf(spec: JsonObject): readonly number[] {
  const health = needsHealthCheckPort(spec) ? Number(numberAt(spec, 'healthCheckNodePort')) : 0;
  return health === 0 ? nodePorts(spec) : [...nodePorts(spec), health];
}

interface Ports {
  readonly range: PortRange;
  isTaken(port: number): boolean;
  random(below: number): number;
  take(port: number): unknown;
  drop(port: number): unknown;
  settled(): Promise<void>;
}

/** The ports of one request; what happens with a dry run is the reference's: nothing is taken, and free ports are made up. */
export class NodePortClaim {
  readonly #ports: Ports;
  readonly #dryRun: boolean;
  readonly #claimed = new Set<number>();
  #highest = 0;

  constructor(ports: Ports, dryRun: boolean) {
    this.#ports = ports;
    this.#dryRun = dryRun;
  }

  /** Undefined if the port could be had, else why not. */
  take(port: number): string | undefined {
    const { range, isTaken, take } = this.#ports;
    if (this.#dryRun) {
      if (isTaken(port) || this.#claimed.has(port)) return TAKEN;
    } else {
      if (!portRangeContains(range, port))
        return `provided port is not in the valid range. The range of valid ports is ${formatPortRange(range)}`;
      if (isTaken(port)) return TAKEN;
      take(port);
    }
    this.#add(port);
    return undefined;
  }

  /** Undefined if all are taken. */
  takeAny(): number | undefined {
    if (this.#dryRun) {
      const port = (this.#claimed.size === 0 ? 32768 : this.#highest) + 1;
      this.#add(port);
      return port;
    }
    for (const port of candidatePorts(this.#ports.range, this.#ports.random))
      if (this.take(port) === undefined) return port;
    return undefined;
  }

  /** The Service is stored: the ports are its own. */
  async commit(): Promise<void> {
    if (this.#dryRun || this.#claimed.size === 0) return;
    try {
      await this.#ports.settled();
    } finally {
      this.revert();
    }
  }

  /** The Service is not stored: the ports are free again. */
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
