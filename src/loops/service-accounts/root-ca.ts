/**
 * The loop of the root CA: every namespace has a ConfigMap `kube-root-ca.crt` with the certificates that pods trust
 * when they talk to this server. A changed or deleted ConfigMap is restored.
 */
import { isAlreadyExists, isNotFound } from '../../apimachinery/status/status.ts';
import { ConfigMap, Namespace } from '../../kinds/api/core/v1.ts';
import { KeyedLoop } from '../keyed-loop.ts';
import type { LoopDefinition } from '../loop.ts';
import { isTerminating } from './default-accounts.ts';

const NAME = 'kube-root-ca.crt';
const FILE = 'ca.crt';
const DESCRIPTION =
  'The certificates that verify this API server under its internal names. Not meant for other servers.';

export const rootCaLoop: LoopDefinition = {
  name: 'root-ca-certificate-publisher-controller',
  serviceAccount: 'root-ca-cert-publisher',
  start: (context) => {
    const { client, informers, rootCa } = context;
    const namespaces = informers.informer(Namespace);
    const published = informers.informer(ConfigMap, { fieldSelector: `metadata.name=${NAME}` });
    const loop = new KeyedLoop(context);
    loop.follow(namespaces, ({ metadata }) => [metadata.name]);
    loop.follow(published, ({ metadata }) => [metadata.namespace ?? '']);
    const metadata = { name: NAME, annotations: { 'kubernetes.io/description': DESCRIPTION } };
    return loop.start(context, {
      failure: 'cannot publish the root CA in a namespace, retrying',
      sync: async (namespace) => {
        if (namespaces.store.get(namespace)?.status?.phase !== 'Active') return;
        const api = client.api(ConfigMap, namespace);
        const present = published.store.get(NAME, namespace);
        const data = { [FILE]: rootCa };
        try {
          if (present === undefined) await api.create({ metadata, data });
          else if (!isPublished(present.data, data)) await api.update({ ...present, data });
        } catch (caught) {
          // A ConfigMap that was created or deleted meanwhile comes back as a change of the informer.
          if (!isAlreadyExists(caught) && !isNotFound(caught) && !isTerminating(caught)) throw caught;
        }
      },
    });
  },
};

function isPublished(present: Readonly<Record<string, string>> | undefined, data: Record<string, string>): boolean {
  return present !== undefined && Object.keys(present).length === 1 && present[FILE] === data[FILE];
}
