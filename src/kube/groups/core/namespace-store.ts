/**
 * The store of namespaces. It has no deleteCollection, and reports failed preconditions of a delete with messages that
 * kube-apiserver has only for namespaces. A created namespace gets its `default` ServiceAccount before the answer. A
 * delete warns if no loop of this process empties and removes the namespace.
 */

import type { Preconditions } from '../../../apimachinery/meta/delete-options.ts';
import { nameOf } from '../../../apimachinery/meta/meta.ts';
import { textAt } from '../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { conflict } from '../../../apimachinery/status/status-catalogue.ts';
import { BugError } from '../../../base/errors.ts';
import { readJson } from '../../../base/json-read.ts';
import { isJsonObject, type JsonObject } from '../../../base/json-value.ts';
import { andThen } from '../../../base/maybe-promise.ts';
import { createObjectReader } from '../../../server/own/object-reader.ts';
import type { RegistryStore } from '../../../server/registry/store.ts';
import { delegateStore } from '../../../server/resource/delegate-store.ts';
import type { StoredResource } from '../../../server/resource/open-resource.ts';
import type { ObjectBytes, ResourceStore, WriteAnswer } from '../../../server/resource/resource-store.ts';
import type { DefaultAccounts } from '../../identity/default-accounts.ts';
import type { KubeContext } from '../../kube-context.ts';

const STAYS_TERMINATING =
  'the namespace stays Terminating until a namespace controller finalizes it; this server runs with its own turned off (--controllers)';

export function wrapNamespaceStore(open: StoredResource, kube: KubeContext): ResourceStore {
  const { registry } = open;
  const read = createObjectReader(open);
  return delegateStore(registry, {
    ...(kube.defaultAccounts && withAccounts(registry, kube.defaultAccounts)),
    deleteCollection: undefined,
    delete: (context, request) => {
      const { preconditions } = request.options;
      return andThen(preconditions === undefined ? undefined : read('', context.name), (found) => {
        if (preconditions !== undefined && found !== undefined && 'object' in found)
          checkPreconditions(preconditions, found.object, context.name);
        return andThen(registry.delete(context, request), (answer) => {
          const isWaiting = answer.outcome === 'pending' && request.options.dryRun.length === 0;
          if (isWaiting && !kube.terminatesNamespaces) context.request.warn(STAYS_TERMINATING);
          return answer;
        });
      });
    },
  });
}

/** Server-side apply creates through `update`. */
function withAccounts(
  registry: RegistryStore,
  accounts: DefaultAccounts,
): Required<Pick<ResourceStore, 'create' | 'update'>> {
  const createdIn = async (answer: WriteAnswer, dryRun: boolean): Promise<WriteAnswer> => {
    if (answer.created && !dryRun) await accounts.create(nameIn(answer.bytes));
    return answer;
  };
  return {
    create: async (context, object, request) =>
      createdIn(await registry.create(context, object, request), request.dryRun),
    update: async (context, change, request) =>
      createdIn(await registry.update(context, change, request), request.dryRun),
  };
}

/** The name may have been generated. */
function nameIn(bytes: ObjectBytes): string {
  const read = readJson(bytes);
  if (!read.ok || !isJsonObject(read.value)) throw new BugError('the store answered with no Namespace');
  return nameOf(read.value);
}

function checkPreconditions({ uid, resourceVersion }: Preconditions, namespace: JsonObject, name: string): void {
  const refuse = (field: string, expected: string, found: string): never => {
    const because = `Precondition failed: ${field} in precondition: ${expected}, ${field} in object meta: ${found}`;
    throw new StatusError(conflict({ group: '', resource: 'namespaces' }, name, because));
  };
  const foundUid = textAt(namespace, 'metadata', 'uid');
  if (uid !== undefined && uid !== foundUid) refuse('UID', uid, foundUid);
  const foundVersion = textAt(namespace, 'metadata', 'resourceVersion');
  if (resourceVersion !== undefined && resourceVersion !== foundVersion)
    refuse('ResourceVersion', resourceVersion, foundVersion);
}
