/**
 * The store of namespaces. It has no deleteCollection, and reports failed preconditions of a delete with messages that
 * kube-apiserver has only for namespaces.
 */

import type { Preconditions } from '../../../apimachinery/meta/delete-options.ts';
import { textAt } from '../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { conflict } from '../../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { andThen } from '../../../base/maybe-promise.ts';
import { createObjectReader } from '../../../server/own/object-reader.ts';
import { delegateStore } from '../../../server/resource/delegate-store.ts';
import type { StoredResource } from '../../../server/resource/open-resource.ts';
import type { ResourceStore } from '../../../server/resource/resource-store.ts';

export function wrapNamespaceStore(open: StoredResource): ResourceStore {
  const { registry } = open;
  const read = createObjectReader(open);
  return delegateStore(registry, {
    deleteCollection: undefined,
    delete: (context, request) => {
      const { preconditions } = request.options;
      if (preconditions === undefined) return registry.delete(context, request);
      return andThen(read('', context.name), (answer) => {
        if ('object' in answer) checkPreconditions(preconditions, answer.object, context.name);
        return registry.delete(context, request);
      });
    },
  });
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
