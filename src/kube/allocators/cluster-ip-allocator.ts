/**
 * The allocator of cluster IPs. ServiceCIDRs define the ranges. An address is allocated while an IPAddress object of
 * its name exists.
 * Invariant: creating that object allocates the address, so two servers on one storage never allocate an address twice.
 * The allocator itself keeps no state.
 */
import { uidOf } from '../../apimachinery/meta/meta.ts';
import { objectAt, objectsAt, textAt, textsAt } from '../../apimachinery/meta/object-fields.ts';
import { isAlreadyExists } from '../../apimachinery/status/status.ts';
import { toError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { formatIp } from '../../pki/ip.ts';
import type { KubeContext } from '../kube-context.ts';
import { type IpFamily, ipFamily, parseSloppyCidr, parseSloppyIp } from '../shared/ip.ts';
import { IpRange } from './ip-range.ts';
import { planAddressRepairs } from './repair-addresses.ts';
import { REPAIR_MS } from './stored-ports.ts';

export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/** `full`: no address is free. `problem`: the reference's message why this address cannot be allocated. */
export type IpAnswer =
  | { readonly outcome: 'ok'; readonly ip: string }
  | { readonly outcome: 'full' }
  | { readonly outcome: 'problem'; readonly problem: string };

const NO_RANGE = 'the provided network does not match the current range';
const ALLOCATED = 'provided IP is already allocated';

/** Returns the IPAddress object of a Service's address. `ip` must be canonical. */
export function ipAddressObject(ip: string, family: IpFamily, service: ServiceName): JsonObject {
  return {
    kind: 'IPAddress',
    apiVersion: 'networking.k8s.io/v1',
    metadata: {
      name: ip,
      labels: {
        'ipaddress.kubernetes.io/ip-family': family,
        'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
      },
    },
    spec: { parentRef: { resource: 'services', namespace: service.namespace, name: service.name } },
  };
}

export class ClusterIpAllocator {
  readonly #kube: KubeContext;
  readonly #addressesOf: (service: JsonObject) => readonly string[];
  /**
   * The repair of IPAddresses after a crash. It runs before the first allocation, and again on a shared storage, where
   * another server may have crashed since.
   */
  #repair: Promise<void> | undefined;
  #repairedAt = 0;

  /** `addressesOf` returns the cluster IPs of a stored Service, as they are written. */
  constructor(kube: KubeContext, addressesOf: (service: JsonObject) => readonly string[]) {
    this.#kube = kube;
    this.#addressesOf = addressesOf;
  }

  /** Allocates this address. */
  async allocate(ip: string, family: IpFamily, service: ServiceName): Promise<IpAnswer> {
    const ranges = await this.#ranges(family);
    await this.#repaired();
    if (!ranges.some((range) => range.contains(ip))) return { outcome: 'problem', problem: NO_RANGE };
    const canonical = formatIp(parseSloppyIp(ip) as Uint8Array) as string;
    const isFree = await this.#create(canonical, family, service);
    return isFree ? { outcome: 'ok', ip } : { outcome: 'problem', problem: ALLOCATED };
  }

  /** Allocates any free address of a family. */
  async allocateNext(family: IpFamily, service: ServiceName): Promise<IpAnswer> {
    await this.#repaired();
    const addresses = this.#kube.lister('ipaddresses');
    const [ranges] = await Promise.all([this.#ranges(family), addresses.fresh()]);
    for (const range of ranges) {
      for (const ip of range.candidates((below) => this.#kube.host.random(below))) {
        if (addresses.get('', ip) !== undefined) continue;
        if (await this.#create(ip, family, service)) return { outcome: 'ok', ip };
      }
    }
    return { outcome: 'full' };
  }

  /**
   * The dry run of an allocation, which assumes that the address is free. With `ip` '' it answers the network address.
   */
  async dryRun(ip: string, family: IpFamily): Promise<IpAnswer> {
    const [range] = await this.#ranges(family);
    if (range === undefined) return { outcome: 'problem', problem: 'allocator not ready' };
    if (ip === '') return { outcome: 'ok', ip: range.network };
    if (range.contains(ip)) return { outcome: 'ok', ip };
    const because = `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${range.cidr}`;
    return { outcome: 'problem', problem: because };
  }

  /** Releases addresses of a Service. Ignores addresses that are not allocated, or that belong to another Service. */
  async release(ips: readonly string[], service: ServiceName): Promise<void> {
    await Promise.all(ips.map((ip) => this.#release(ip, service)));
  }

  /** Never rejects: a failed repair does not refuse a Service, and the next allocation repeats it. */
  #repaired(): Promise<void> {
    const { clock, storage } = this.#kube.host;
    if (!storage.embedded && clock.monotonic() - this.#repairedAt >= REPAIR_MS) this.#repair = undefined;
    if (this.#repair === undefined) this.#repairedAt = clock.monotonic();
    this.#repair ??= this.#runRepair().catch((error: unknown) => {
      this.#repair = undefined;
      const reason = toError(error).message;
      this.#kube.logger.warn('cannot repair the IPAddresses of Services; the next allocation tries again', { reason });
    });
    return this.#repair;
  }

  async #runRepair(): Promise<void> {
    const { orphans, missing } = await planAddressRepairs(this.#kube, this.#addressesOf);
    const created = missing.map(({ ip, ...service }) => this.#create(ip, ipFamily(ip) ?? 'IPv4', service));
    const addresses = this.#kube.writer('ipaddresses');
    const deleted = orphans.map(({ name, uid }) => addresses.deleteIfPresent({ namespace: '', name }, uid));
    await Promise.all([...deleted, ...created]);
  }

  /** Returns the ranges of the family: the default one first, then by name. */
  async #ranges(family: IpFamily): Promise<readonly IpRange[]> {
    const lister = this.#kube.lister('servicecidrs');
    await lister.fresh();
    const ready = lister.list().filter(isReady);
    const ordered = [...ready].sort((a, b) => Number(isDefault(b)) - Number(isDefault(a)));
    const cidrs = new Set(ordered.flatMap((cidr) => textsAt(cidr, 'spec', 'cidrs')));
    return [...cidrs].flatMap((cidr) => {
      const isOther = parseSloppyCidr(cidr)?.address.length !== (family === 'IPv4' ? 4 : 16);
      return isOther ? [] : (IpRange.parse(cidr) ?? []);
    });
  }

  /** Returns false if the address is allocated. */
  async #create(ip: string, family: IpFamily, service: ServiceName): Promise<boolean> {
    try {
      await this.#kube.writer('ipaddresses').create(ipAddressObject(ip, family, service));
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) return false;
      throw error;
    }
  }

  async #release(ip: string, { namespace, name }: ServiceName): Promise<void> {
    const bytes = parseSloppyIp(ip);
    if (bytes === undefined) return;
    const canonical = formatIp(bytes) as string;
    const found = await this.#kube.reader('ipaddresses')('', canonical);
    if (!('object' in found)) return;
    const parent = objectAt(found.object, 'spec', 'parentRef') ?? {};
    if (textAt(parent, 'namespace') !== namespace || textAt(parent, 'name') !== name) return;
    const target = { namespace: '', name: canonical };
    await this.#kube.writer('ipaddresses').deleteIfPresent(target, uidOf(found.object));
  }
}

/** Returns true unless the ServiceCIDR is being deleted or has the condition Ready=False. */
function isReady(cidr: JsonObject): boolean {
  if (textAt(cidr, 'metadata', 'deletionTimestamp') !== '') return false;
  const ready = objectsAt(objectAt(cidr, 'status') ?? {}, 'conditions').find((one) => textAt(one, 'type') === 'Ready');
  return ready === undefined || textAt(ready, 'status') === 'True';
}

function isDefault(cidr: JsonObject): boolean {
  return textAt(cidr, 'metadata', 'name') === 'kubernetes';
}
