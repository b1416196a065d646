/**
 * Cluster IPs: an address is taken as long as there is an IPAddress object of its name. Invariant: whoever creates that object has the address, so that two servers on one
 * storage never hand it out twice; nothing is kept here. Which networks there are is what ServiceCIDRs say.
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

export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/** `full`: there is no free address. `problem`: why this one cannot be had, in the reference's words. */
export type IpAnswer =
  | { readonly outcome: 'ok'; readonly ip: string }
  | { readonly outcome: 'full' }
  | { readonly outcome: 'problem'; readonly problem: string };

const NO_RANGE = 'the provided network does not match the current range';
const TAKEN = 'provided IP is already allocated';

/** The IPAddress of an address that a Service has. `ip` is canonical. */
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

export class ClusterIps {
  readonly #world: KubeContext;
  /** Of what an earlier run may have left; with the first address that is taken. */
  #repair: Promise<void> | undefined;

  constructor(world: KubeContext) {
    this.#world = world;
  }

  /** Takes this address. */
  async take(ip: string, family: IpFamily, service: ServiceName): Promise<IpAnswer> {
    const ranges = await this.#ranges(family);
    await this.#repaired();
    if (!ranges.some((range) => range.contains(ip))) return { outcome: 'problem', problem: NO_RANGE };
    const canonical = formatIp(parseSloppyIp(ip) as Uint8Array) as string;
    const isFree = await this.#create(canonical, family, service);
    return isFree ? { outcome: 'ok', ip } : { outcome: 'problem', problem: TAKEN };
  }

  /** Takes any free address of a family. */
  async takeAny(family: IpFamily, service: ServiceName): Promise<IpAnswer> {
    await this.#repaired();
    const addresses = this.#world.lister('ipaddresses');
    const [ranges] = await Promise.all([this.#ranges(family), addresses.fresh()]);
    for (const range of ranges) {
      for (const ip of range.candidates((below) => this.#world.host.random(below))) {
        if (addresses.get('', ip) !== undefined) continue;
        if (await this.#create(ip, family, service)) return { outcome: 'ok', ip };
      }
    }
    return { outcome: 'full' };
  }

  /** What `take` would answer if nobody had the address. Nothing is taken. */
  async pretend(ip: string, family: IpFamily): Promise<IpAnswer> {
    const [range] = await this.#ranges(family);
    if (range === undefined) return { outcome: 'problem', problem: 'allocator not ready' };
    if (ip === '') return { outcome: 'ok', ip: range.network };
    if (range.contains(ip)) return { outcome: 'ok', ip };
    const because = `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${range.cidr}`;
    return { outcome: 'problem', problem: because };
  }

  /** Gives addresses of a Service back; one that is not taken, or that somebody else has by now, is no problem. */
  async release(ips: readonly string[], service: ServiceName): Promise<void> {
    await Promise.all(ips.map((ip) => this.#release(ip, service)));
  }

  /** That it fails is no reason to refuse a Service; the next one tries again. */
  #repaired(): Promise<void> {
    this.#repair ??= this.#carryOutRepairs().catch((error: unknown) => {
      this.#repair = undefined;
      this.#world.logger.warn('addresses of Services could not be put right', { reason: toError(error).message });
    });
    return this.#repair;
  }

  async #carryOutRepairs(): Promise<void> {
    const { orphans, missing } = await planAddressRepairs(this.#world);
    const created = missing.map(({ ip, ...service }) => this.#create(ip, ipFamily(ip) ?? 'IPv4', service));
    const addresses = this.#world.writer('ipaddresses');
    const deleted = orphans.map(({ name, uid }) => addresses.deleteIfPresent({ namespace: '', name }, uid));
    await Promise.all([...deleted, ...created]);
  }

  /** Networks of the family: the default one first, then by name. */
  async #ranges(family: IpFamily): Promise<readonly IpRange[]> {
    const lister = this.#world.lister('servicecidrs');
    await lister.fresh();
    const ready = lister.list().filter(isReady);
    const ordered = [...ready].sort((a, b) => Number(isDefault(b)) - Number(isDefault(a)));
    const cidrs = new Set(ordered.flatMap((cidr) => textsAt(cidr, 'spec', 'cidrs')));
    return [...cidrs].flatMap((cidr) => {
      const isOther = parseSloppyCidr(cidr)?.address.length !== (family === 'IPv4' ? 4 : 16);
      return isOther ? [] : (IpRange.parse(cidr) ?? []);
    });
  }

  /** False if somebody has the address. */
  async #create(ip: string, family: IpFamily, service: ServiceName): Promise<boolean> {
    try {
      await this.#world.writer('ipaddresses').create(ipAddressObject(ip, family, service));
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
    const found = await this.#world.reader('ipaddresses')('', canonical);
    if (!('object' in found)) return;
    const parent = objectAt(found.object, 'spec', 'parentRef') ?? {};
    if (textAt(parent, 'namespace') !== namespace || textAt(parent, 'name') !== name) return;
    const target = { namespace: '', name: canonical };
    await this.#world.writer('ipaddresses').deleteIfPresent(target, uidOf(found.object));
  }
}

/** Not being deleted, and nobody says that it is not ready. */
function isReady(cidr: JsonObject): boolean {
  if (textAt(cidr, 'metadata', 'deletionTimestamp') !== '') return false;
  const ready = objectsAt(objectAt(cidr, 'status') ?? {}, 'conditions').find((one) => textAt(one, 'type') === 'Ready');
  return ready === undefined || textAt(ready, 'status') === 'True';
}

function isDefault(cidr: JsonObject): boolean {
  return textAt(cidr, 'metadata', 'name') === 'kubernetes';
}
