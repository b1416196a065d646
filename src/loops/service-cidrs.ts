/**
 * The loop of ServiceCIDRs: sets their Ready condition, and keeps a deleted ServiceCIDR until each of its allocated
 * addresses is in another ServiceCIDR, too. kube-controller-manager waits 10 s before it removes the finalizer, because
 * allocators of other processes learn of the deletion later. The allocator of this server learns of it with the write.
 */
import { parseAddress, parsePrefix, prefixContains } from '../apimachinery/go/go-netip.ts';
import { formatTime, instantFromMillis } from '../apimachinery/scalars/time.ts';
import type { Stored } from '../client/object-types.ts';
import { IPAddress, ServiceCIDR } from '../kinds/api/networking/v1.ts';
import { KeyedLoop } from './keyed-loop.ts';
import type { LoopContext, LoopDefinition } from './loop.ts';
import { unlessGone } from './outdated-writes.ts';

const NAME = 'service-cidr-controller';
const FINALIZER = 'networking.k8s.io/service-cidr-finalizer';
/** The label selector of the addresses that the allocator of Services made. */
const ALLOCATED = 'ipaddress.kubernetes.io/managed-by=ipallocator.k8s.io';

interface Ready {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const READY: Ready = { status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' };
const TERMINATING: Ready = {
  status: 'False',
  reason: 'Terminating',
  message: 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
};

export const serviceCidrLoop: LoopDefinition = {
  name: NAME,
  serviceAccount: 'service-cidrs-controller',
  start: (context) => {
    const { informers, client } = context;
    const ranges = informers.informer(ServiceCIDR);
    const api = client.api(ServiceCIDR);
    const loop = new KeyedLoop(context);
    // Every range is processed, because a new range may contain the addresses of a deleted one. Ranges are few.
    loop.follow(ranges, () => ranges.store.keys());
    let followsAddresses = false;
    return loop.start(context, {
      failure: 'cannot reconcile a ServiceCIDR, retrying',
      sync: async (name) => {
        const range = ranges.store.get(name);
        if (range === undefined) return;
        const isProtected = range.metadata.finalizers?.includes(FINALIZER) ?? false;
        if (range.metadata.deletionTimestamp === undefined) {
          if (!isProtected) await unlessGone(api.patch(name, strategic({ finalizers: [FINALIZER] })));
          return setReady(context, range, READY);
        }
        if (!isProtected) return;
        const addresses = informers.informer(IPAddress, { labelSelector: ALLOCATED });
        if (!followsAddresses) {
          followsAddresses = true;
          loop.follow(addresses, () => terminating(ranges.store.list()));
        }
        await addresses.synced;
        if (strandsAddress(range, ranges.store.list(), addresses.store.list()))
          return setReady(context, range, TERMINATING);
        await unlessGone(api.patch(name, strategic({ '$deleteFromPrimitiveList/finalizers': [FINALIZER] })));
      },
    });
  },
};

function terminating(ranges: readonly Stored<ServiceCIDR>[]): string[] {
  return ranges.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).map(({ metadata }) => metadata.name);
}

/** Whether an address lies in this range and in no other one, so that it would be left without a range. */
function strandsAddress(
  range: Stored<ServiceCIDR>,
  ranges: readonly Stored<ServiceCIDR>[],
  addresses: readonly Stored<IPAddress>[],
): boolean {
  const others = ranges.filter(({ metadata }) => metadata.name !== range.metadata.name);
  return addresses.some(
    ({ metadata: { name } }) => contains(range, name) && !others.some((other) => contains(other, name)),
  );
}

/** As in kube-controller-manager, the first and the last address of an IPv4 range are part of it here. */
function contains({ spec }: Stored<ServiceCIDR>, text: string): boolean {
  const address = parseAddress(text);
  if (!address.ok) return false;
  return (spec?.cidrs ?? []).some((cidr) => {
    const prefix = parsePrefix(cidr);
    return prefix.ok && prefixContains(prefix.value, address.value);
  });
}

async function setReady({ client, clock }: LoopContext, range: Stored<ServiceCIDR>, wanted: Ready): Promise<void> {
  const present = range.status?.conditions?.find(({ type }) => type === 'Ready');
  const { status, reason, message } = wanted;
  if (present?.status === status && present.reason === reason && present.message === message) return;
  const lastTransitionTime = formatTime(instantFromMillis(clock.now()));
  await unlessGone(
    client.api(ServiceCIDR).apply(
      {
        metadata: { name: range.metadata.name },
        status: { conditions: [{ type: 'Ready', status, reason, message, lastTransitionTime }] },
      },
      { fieldManager: NAME, force: true, subresource: 'status' },
    ),
  );
}

function strategic(metadata: object): { readonly type: 'strategic'; readonly body: object } {
  return { type: 'strategic', body: { metadata } };
}
