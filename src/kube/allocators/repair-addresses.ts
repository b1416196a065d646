/**
 * The plan that repairs IPAddresses which do not match the Services. They differ if a server was killed between the two
 * writes of a request, or if an IPAddress was deleted by a client.
 * Invariant: an IPAddress younger than a minute is kept, because a running request may be about to store its Service.
 */
import { nameOf, namespaceOf, uidOf } from '../../apimachinery/meta/meta.ts';
import { objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { formatIp } from '../../pki/ip.ts';

import { catchUp } from '../../server/own/catch-up.ts';
import type { KubeContext } from '../kube-context.ts';
import { parseSloppyIp } from '../shared/ip.ts';

const GRACE_MS = 60_000;
const MANAGED_BY = 'ipaddress.kubernetes.io/managed-by';
const MANAGER = 'ipallocator.k8s.io';

export interface AddressRepairs {
  /** IPAddresses whose Service does not have them. */
  readonly orphans: readonly { readonly name: string; readonly uid: string }[];
  /** Addresses of Services that have no IPAddress. */
  readonly missing: readonly { readonly ip: string; readonly namespace: string; readonly name: string }[];
}

/** `addressesOf` returns the cluster IPs of a Service, as they are written. */
export async function planAddressRepairs(
  kube: KubeContext,
  addressesOf: (service: JsonObject) => readonly string[],
): Promise<AddressRepairs> {
  const [addresses, services] = [kube.lister('ipaddresses'), kube.lister('services')];
  await addresses.fresh();
  // Services are the newer state: the address of a Service is created before it and deleted after it.
  await catchUp(services);
  const old = kube.host.clock.now() - GRACE_MS;
  const orphans = addresses
    .list()
    .filter((address) => isManaged(address) && Date.parse(textAt(address, 'metadata', 'creationTimestamp')) < old)
    .filter((address) => {
      const parent = objectAt(address, 'spec', 'parentRef') ?? {};
      const service = services.get(textAt(parent, 'namespace'), textAt(parent, 'name'));
      return service === undefined || !canonical(addressesOf(service)).includes(nameOf(address));
    })
    .map((address) => ({ name: nameOf(address), uid: uidOf(address) }));
  const missing = services.list().flatMap((service) =>
    canonical(addressesOf(service))
      .filter((ip) => addresses.get('', ip) === undefined)
      .map((ip) => ({ ip, namespace: namespaceOf(service), name: nameOf(service) })),
  );
  return { orphans, missing };
}

function isManaged(address: JsonObject): boolean {
  return (
    textAt(address, 'metadata', 'labels', MANAGED_BY) === MANAGER &&
    textAt(address, 'spec', 'parentRef', 'resource') === 'services'
  );
}

function canonical(ips: readonly string[]): readonly string[] {
  return ips.flatMap((ip) => formatIp(parseSloppyIp(ip) ?? new Uint8Array()) ?? []);
}
