/** The identity Leases of all API servers on one storage, read without a cache. */
import { labelsOf } from '../../apimachinery/meta/meta.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import type { KubeContext } from '../kube-context.ts';
import { IDENTITY_NAMESPACE, isIdentity } from './identity-lease.ts';

/** Rejects with a StorageError if they cannot be read. */
export async function storedIdentities({ resource }: Pick<KubeContext, 'resource'>): Promise<readonly JsonObject[]> {
  const { definition, host } = resource('leases');
  const prefix = `${host.scope}/${definition.storagePrefix}/${IDENTITY_NAMESPACE}/`;
  const listed = await host.storage.list({ prefix });
  if (listed.outcome !== 'ok') return [];
  return listed.items.flatMap(({ value }) => {
    const read = readJson(value);
    return read.ok && isJsonObject(read.value) && isIdentity(labelsOf(read.value)) ? [read.value] : [];
  });
}
