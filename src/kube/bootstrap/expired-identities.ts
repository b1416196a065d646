/**
 * The removal of identity Leases of API servers that are gone (upstream: apiserverleasegc). A server that stops in
 * order deletes its own; that of a killed one stays until another server finds it expired.
 */
import { nameOf } from '../../apimachinery/meta/meta.ts';
import { numberAt, objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { KubeContext } from '../kube-context.ts';
import { IDENTITY_NAMESPACE as namespace } from './identity-lease.ts';
import { storedIdentities } from './stored-identities.ts';

/** Rejects if the Leases cannot be read or deleted. */
export async function removeExpiredIdentities(kube: KubeContext): Promise<void> {
  const leases = kube.writer('leases');
  for (const lease of await storedIdentities(kube)) {
    if (!isExpired(lease, kube.host.clock.now())) continue;
    await leases.deleteIfPresent({ namespace, name: nameOf(lease) }, textAt(lease, 'metadata', 'uid'));
  }
}

/** As in the reference, a Lease without a time or a duration is invalid, and removed. */
function isExpired(lease: JsonObject, now: number): boolean {
  const spec = objectAt(lease, 'spec') ?? {};
  const renewed = Date.parse(textAt(spec, 'renewTime'));
  const seconds = Number(numberAt(spec, 'leaseDurationSeconds'));
  return Number.isNaN(renewed) || seconds === 0 || renewed + seconds * 1000 < now;
}
