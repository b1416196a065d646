/** The parameters of admission policies: objects of any kind that this server serves, read as clients read them. */
import { paramObjects } from '../../admission/policies/param-objects.ts';
import type { ParamKinds } from '../../admission/policies/params.ts';
import type { Transport } from '../../apimachinery/http/transport.ts';
import { createClient } from '../../client/create-client.ts';
import type { KubeContext } from '../kube-context.ts';

/** `transport` sends requests to the whole chain of servers, as the server's own user. */
export function paramKinds(kube: Pick<KubeContext, 'pluralOf' | 'isNamespaced'>, transport: Transport): ParamKinds {
  const client = createClient(transport);
  return (kind) => {
    const plural = kube.pluralOf(kind);
    if (plural === undefined) return undefined;
    return paramObjects(client, { ...kind, plural, scope: kube.isNamespaced(kind) ? 'Namespaced' : 'Cluster' });
  };
}
