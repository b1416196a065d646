// Checks Networks against each other, and publishes the settings of each one in a ConfigMap.
import type { Stored } from 'keelson/client';
import { keyOf, type Operator, operator } from 'keelson/controller';
import { ConfigMap } from 'keelson/kinds/core/v1';
import { contains, overlaps, parseAddress, parseCidr } from './ipv4.ts';
import { Network } from './network.ts';

export const networkOperator: Operator<Network> = operator('network-operator')
  .for(Network, { when: 'generation' })
  .owns(ConfigMap)
  // A change of one Network may end or begin an overlap with any other: those are reconciled, too.
  .watches(Network, (changed, { objects }) => [...objects.keys()].filter((key) => key !== keyOf(changed)), {
    when: 'generation',
  })
  .reconcile(async ({ object: network, cache, client, apply, status, event }) => {
    const { name, namespace = '' } = network.metadata;
    const problem = problemOf(network, await cache.list(Network));
    if (problem !== undefined) {
      // Another manager may own the ConfigMap of that name: delete only what this Network controls.
      const settings = await cache.get(ConfigMap, `${name}-network`);
      if (settings?.metadata.ownerReferences?.some(({ uid }) => uid === network.metadata.uid) === true)
        await client.api(ConfigMap, namespace).delete(settings.metadata.name);
      status({ phase: problem.phase }).condition('Ready', false, problem.phase, problem.message);
      if (network.status?.phase !== problem.phase) event(problem.phase, problem.message, { type: 'Warning' });
      return;
    }
    const { cidr, gateway } = network.spec;
    await apply(ConfigMap, { metadata: { name: `${name}-network` }, data: { cidr, gateway } });
    const range = parseCidr(cidr);
    const addresses = range === undefined ? 0 : range.last - range.first + 1;
    status({ phase: 'Ready', addresses }).condition('Ready', true, 'Published', `${addresses} addresses`);
    if (network.status?.phase !== 'Ready') event('Published', `${cidr} is published in ConfigMap ${name}-network`);
  });

interface Problem {
  readonly phase: 'Invalid' | 'Overlapping';
  readonly message: string;
}

/** Of two Networks that overlap, the older one is right. */
function problemOf(network: Stored<Network>, all: readonly Stored<Network>[]): Problem | undefined {
  const { cidr, gateway } = network.spec;
  const range = parseCidr(cidr);
  if (range === undefined) return { phase: 'Invalid', message: `${cidr} is not an IPv4 network` };
  const address = parseAddress(gateway);
  if (address === undefined || !contains(range, address))
    return { phase: 'Invalid', message: `the gateway ${gateway} is not in ${cidr}` };
  const older = all.find((other) => {
    const otherRange = parseCidr(other.spec.cidr);
    return isOlder(other, network) && otherRange !== undefined && overlaps(range, otherRange);
  });
  if (older === undefined) return undefined;
  return { phase: 'Overlapping', message: `${cidr} overlaps ${older.spec.cidr} of ${keyOf(older)}` };
}

/** Timestamps have whole seconds: of two Networks of the same second, the first by key counts as older. */
function isOlder(a: Stored<Network>, b: Stored<Network>): boolean {
  const [left, right] = [a, b].map((one) => `${one.metadata.creationTimestamp} ${keyOf(one)}`) as [string, string];
  return left < right;
}
