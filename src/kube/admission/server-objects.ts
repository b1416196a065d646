/** What plugins read and write in the server's own stores beyond what listers and readers give. Invariant: these are the server's own requests; they are admitted by nobody. */
import { DEFAULT_LIST_OPTIONS } from '../../apimachinery/meta/list-options.ts';
import { BugError } from '../../base/errors.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject } from '../../base/json-value.ts';
import { ownContext } from '../../server/own/own-context.ts';
import type { KubeContext } from '../kube-context.ts';
import type { ExistingPods } from './pod-security/existing-pods.ts';

/** The first pods of a namespace, parsed for this one question: nobody keeps all pods parsed. */
export async function existingPods(world: KubeContext, namespace: string, limit: number): Promise<ExistingPods> {
  const { definition, store } = world.resource('pods');
  const version = definition.storageVersion;
  if (version === undefined || store.list === undefined) throw new BugError('pods cannot be listed');
  const context = ownContext(world.host.clock, 'list', { version, namespace, name: '' });
  const page = await store.list(context, { ...DEFAULT_LIST_OPTIONS, limit });
  const pods = page.items
    .map((bytes) => readJson(bytes))
    .flatMap((read) => (read.ok && isJsonObject(read.value) ? [read.value] : []));
  return { pods, total: page.items.length + (page.remaining ?? 0) };
}

/** Rejects with the Status if there is such a namespace. */
export async function createNamespace(world: KubeContext, name: string): Promise<void> {
  const { definition, store } = world.resource('namespaces');
  const version = definition.storageVersion;
  if (version === undefined || store.create === undefined) throw new BugError('namespaces cannot be created');
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  version.setDefaults?.(object);
  const request = { dryRun: false, fieldManager: 'kube-apiserver', validate: () => undefined };
  const context = ownContext(world.host.clock, 'create', { version, namespace: '', name: '' });
  await store.create(context, object, request);
}
