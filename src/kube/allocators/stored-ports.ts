/**
 * The allocated node ports of servers that share a storage: one RangeAllocation, changed by compare-and-write, with the
 * key and the bytes of kube-apiserver.
 * Invariants: a port is claimed before a Service with it is stored, and released after the Service is gone. A port that
 * was claimed by a killed server is freed when three repairs have found no Service with it.
 */
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { internalError } from '../../apimachinery/status/status-catalogue.ts';
import { decodeBase64, encodeBase64 } from '../../base/base64.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { kindView } from '../../kinds/views.ts';
import { catchUp } from '../../server/own/catch-up.ts';
import { type PrivateObject, PrivateObjects } from '../../server/registry/private-objects.ts';
import type { KubeContext } from '../kube-context.ts';
import { PortBits } from './port-bits.ts';
import { candidatePorts, formatPortRange, type PortRange, parsePortRange } from './port-range.ts';

const KIND = 'RangeAllocation';
/** The reference's interval of repairs, and the number of repairs after which a leaked port is free. */
export const REPAIR_MS = 180_000;
const REPAIRS_OF_LEAK = 3;
/** The number of attempts of a write. An attempt fails only if another server has changed the ports meanwhile. */
const ATTEMPTS = 100;

export interface StoredPortsOptions {
  readonly kube: KubeContext;
  readonly range: PortRange;
  /** Returns every node port of a stored Service. */
  readonly portsOf: (service: JsonObject) => readonly number[];
}

export class StoredPorts {
  readonly #options: StoredPortsOptions;
  readonly #key: string;
  readonly #objects: PrivateObjects;
  /** The number of further repairs that a port without a Service survives. */
  readonly #leaks = new Map<number, number>();
  #repairedAt: number | undefined;
  /** Changes of this server run one after the other, because concurrent changes would only conflict with each other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: StoredPortsOptions) {
    this.#options = options;
    // As in the reference, the ports are where the Services are.
    const { scope, storage } = options.kube.resource('services').host;
    this.#key = `${scope}/ranges/servicenodeports`;
    this.#objects = new PrivateObjects({ storage, kind: KIND, view: kindView('', 'v1', KIND) });
  }

  /** Returns the allocated ports as they are now. */
  async read(): Promise<PortBits> {
    return this.#update((bits) => bits);
  }

  /** Returns false if the port is allocated. */
  claim(port: number): Promise<boolean> {
    return this.#update((bits) => {
      const isFree = !bits.has(port);
      bits.add(port);
      return isFree;
    });
  }

  /** Claims any free port. Returns undefined if there is none. */
  claimNext(): Promise<number | undefined> {
    const { range, kube } = this.#options;
    return this.#update((bits) => {
      for (const port of candidatePorts(range, (below) => kube.host.random(below))) {
        if (bits.has(port)) continue;
        bits.add(port);
        return port;
      }
      return undefined;
    });
  }

  async release(ports: Iterable<number>): Promise<void> {
    const all = [...ports];
    if (all.length === 0) return;
    await this.#update((bits) => {
      for (const port of all) bits.delete(port);
    });
  }

  #update<T>(change: (bits: PortBits) => T): Promise<T> {
    const updated = this.#last.then(() => this.#updateNow(change));
    this.#last = updated.catch(() => undefined);
    return updated;
  }

  async #updateNow<T>(change: (bits: PortBits) => T): Promise<T> {
    const { clock } = this.#options.kube.host;
    if (this.#repairedAt === undefined || clock.monotonic() - this.#repairedAt >= REPAIR_MS) await this.#repair();
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const item = await this.#objects.read(this.#key);
      const bits = item && this.#bits(item);
      if (bits === undefined) {
        await this.#repair();
        continue;
      }
      const result = change(bits);
      if (!bits.changed || (await this.#write(item, bits))) return result;
    }
    throw new StatusError(internalError('cannot allocate node ports at this time: other servers change them'));
  }

  /** Creates the RangeAllocation if it is missing, adds the ports of all Services and removes leaked ones. */
  async #repair(): Promise<void> {
    const { kube, range } = this.#options;
    let counted: readonly number[] | undefined;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // The ports are read before the Services: if another server claims or releases one meanwhile, the write fails.
      const { item, bits, isOtherRange } = await this.#stored();
      const used = await this.#usedPorts();
      counted ??= this.#countLeaks(used, bits);
      const leaked = counted.filter((port) => !used.has(port));
      for (const port of used) bits.add(port);
      for (const port of leaked) bits.delete(port);
      const isRight = item !== undefined && !isOtherRange && !bits.changed;
      if (isRight || (await this.#write(item, bits))) {
        this.#repairedAt = kube.host.clock.monotonic();
        if (leaked.length > 0) kube.logger.warn('freed node ports that no Service has', { ports: leaked.join(',') });
        if (isOtherRange) kube.logger.warn('the range of node ports in the store changed', formatted(range));
        return;
      }
    }
    throw new StatusError(internalError('cannot repair the node ports at this time: other servers change them'));
  }

  async #usedPorts(): Promise<ReadonlySet<number>> {
    const { kube, portsOf } = this.#options;
    const services = kube.lister('services');
    await catchUp(services);
    return new Set(services.list().flatMap((service) => portsOf(service)));
  }

  #countLeaks(used: ReadonlySet<number>, bits: PortBits): readonly number[] {
    for (const port of used) this.#leaks.delete(port);
    const leaked: number[] = [];
    for (const port of bits.ports()) {
      if (used.has(port)) continue;
      const left = this.#leaks.get(port) ?? REPAIRS_OF_LEAK - 1;
      if (left === 0) leaked.push(port);
      else this.#leaks.set(port, left - 1);
    }
    for (const port of leaked) this.#leaks.delete(port);
    return leaked;
  }

  /** The stored ports; those of another range are taken over as far as they are in this one. */
  async #stored(): Promise<StoredBits> {
    const item = await this.#objects.read(this.#key);
    const same = item && this.#bits(item);
    if (same !== undefined) return { item, bits: same, isOtherRange: false };
    const bits = new PortBits(this.#options.range);
    if (item === undefined) return { item, bits, isOtherRange: false };
    const other = parsePortRange(textAt(item.object, 'range'));
    if (other !== undefined) for (const port of PortBits.fromData(other, dataOf(item)).ports()) bits.add(port);
    return { item, bits, isOtherRange: true };
  }

  /** Returns undefined if the stored range is another one. */
  #bits(item: PrivateObject): PortBits | undefined {
    const { range } = this.#options;
    return textAt(item.object, 'range') === formatPortRange(range) ? PortBits.fromData(range, dataOf(item)) : undefined;
  }

  /** Returns false if the stored object is no longer `seen`. */
  #write(seen: PrivateObject | undefined, bits: PortBits): Promise<boolean> {
    const fields = { metadata: {}, ...formatted(this.#options.range), data: encodeBase64(bits.toData()) };
    return this.#objects.write(this.#key, seen, fields);
  }
}

interface StoredBits {
  readonly item: PrivateObject | undefined;
  readonly bits: PortBits;
  readonly isOtherRange: boolean;
}

function formatted(range: PortRange): { readonly range: string } {
  return { range: formatPortRange(range) };
}

function dataOf({ object }: PrivateObject): Uint8Array {
  return decodeBase64(textAt(object, 'data')) ?? new Uint8Array();
}
