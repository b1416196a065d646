/**
 * The removal of identity Leases of API servers that are gone (upstream: apiserverleasegc). A server that stops in order
 * deletes its own; that of a killed one stays until another server finds it expired.
 */
import { labelsOf } from '../../apimachinery/meta/meta.ts';
import { numberAt, objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import type { KubeContext } from '../kube-context.ts';

const NAMESPACE = 'kube-system';

/** `isIdentity` selects the Leases of API servers. Rejects if the Leases cannot be read or deleted. */
export async function removeExpiredIdentities(
  { host, resource, writer }: KubeContext,
  isIdentity: (labels: Readonly<Record<string, string>>) => boolean,
): Promise<void> {
  const { storagePrefix } = resource('leases').definition;
  const listed = await host.storage.list({ prefix: `${host.scope}/${storagePrefix}/${NAMESPACE}/` });
  if (listed.outcome !== 'ok') return;
  for (const { value } of listed.items) {
    const read = readJson(value);
    if (!read.ok || !isJsonObject(read.value)) continue;
    const lease = read.value;
    if (!isIdentity(labelsOf(lease)) || !isExpired(lease, host.clock.now())) continue;
    const name = textAt(lease, 'metadata', 'name');
    await writer('leases').deleteIfPresent({ namespace: NAMESPACE, name }, textAt(lease, 'metadata', 'uid'));
  }
}

/** As in the reference, a Lease without a time or a duration is invalid, and removed. */
function isExpired(lease: JsonObject, now: number): boolean {
  const spec = objectAt(lease, 'spec') ?? {};
  const renewed = Date.parse(textAt(spec, 'renewTime'));
  const seconds = Number(numberAt(spec, 'leaseDurationSeconds'));
  return Number.isNaN(renewed) || seconds === 0 || renewed + seconds * 1000 < now;
}
