/**
 * The serviceaccount loop: every active namespace has a ServiceAccount `default`. The server creates it together with
 * the namespace; this loop creates it again after it was deleted.
 */
import { isAlreadyExists, statusCause } from '../../apimachinery/status/status.ts';
import { Namespace, ServiceAccount } from '../../kinds/api/core/v1.ts';
import { KeyedLoop } from '../keyed-loop.ts';
import type { LoopDefinition } from '../loop.ts';

const DEFAULT_ACCOUNT = 'default';

export const serviceAccountLoop: LoopDefinition = {
  name: 'serviceaccount-controller',
  serviceAccount: 'service-account-controller',
  start: (context) => {
    const { client, informers } = context;
    const namespaces = informers.informer(Namespace);
    const accounts = informers.informer(ServiceAccount);
    const loop = new KeyedLoop(context);
    loop.follow(namespaces, ({ metadata }) => [metadata.name]);
    loop.follow(accounts, ({ metadata }) => (metadata.name === DEFAULT_ACCOUNT ? [metadata.namespace ?? ''] : []));
    return loop.start(context, {
      failure: 'cannot create the default ServiceAccount, retrying',
      sync: async (namespace) => {
        const isActive = namespaces.store.get(namespace)?.status?.phase === 'Active';
        if (!isActive || accounts.store.get(DEFAULT_ACCOUNT, namespace) !== undefined) return;
        try {
          await client.api(ServiceAccount, namespace).create({ metadata: { name: DEFAULT_ACCOUNT, namespace } });
        } catch (caught) {
          if (!isAlreadyExists(caught) && !isTerminating(caught)) throw caught;
        }
      },
    });
  },
};

/** Whether a creation failed because its namespace is being deleted. */
export function isTerminating(error: unknown): boolean {
  return statusCause(error, 'NamespaceTerminating') !== undefined;
}
