/** Reads and writes of admission plugins in the server's own stores, beyond listers and readers. */
import { DEFAULT_LIST_OPTIONS } from '../../apimachinery/meta/list-options.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject } from '../../base/json-value.ts';
import { ownContext } from '../../server/own/own-context.ts';
import type { KubeContext } from '../kube-context.ts';
import type { ExistingPods } from './pod-security/existing-pods.ts';

/** Returns the first `limit` pods of a namespace. It parses them for this call, because no lister keeps all pods. */
export async function existingPods(kube: KubeContext, namespace: string, limit: number): Promise<ExistingPods> {
  const { definition, registry, host } = kube.resource('pods');
  const context = ownContext(host.clock, 'list', { version: definition.storageVersion, namespace, name: '' });
  const page = await registry.list(context, { ...DEFAULT_LIST_OPTIONS, limit });
  const pods = page.items
    .map((bytes) => readJson(bytes))
    .flatMap((read) => (read.ok && isJsonObject(read.value) ? [read.value] : []));
  return { pods, total: page.items.length + (page.remaining ?? 0) };
}

/** Rejects with a 409 if the namespace exists. */
export async function createNamespace(kube: KubeContext, name: string): Promise<void> {
  await kube.writer('namespaces').create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await kube.defaultAccounts?.create(name);
}
