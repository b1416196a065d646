/** The `proxy` subresource of Nodes. No kubelet is reachable, so every request fails. */
import { StatusError } from '../../../../apimachinery/status/status.ts';
import { badRequest } from '../../../../apimachinery/status/status-catalogue.ts';
import type { SubresourceDefinition } from '../../../../server/resource/resource-definition.ts';
import type { KubeContext } from '../../../kube-context.ts';
import { builtInVersion } from '../../../shared/built-in.ts';
import { PROXY_METHODS, parseProxyAddress, unreachable } from '../proxy-address.ts';
import { kubeletAddress } from './kubelet-address.ts';

export function nodeProxy(kube: KubeContext): SubresourceDefinition {
  return {
    name: 'proxy',
    version: builtInVersion({ group: '', version: 'v1', kind: 'NodeProxyOptions', stored: false }),
    store: () => ({
      connectMethods: PROXY_METHODS,
      connectOptions: { takesPath: true },
      connect: async ({ name: id }) => {
        const target = parseProxyAddress(id);
        if (target === undefined) throw new StatusError(badRequest(`invalid node request "${id}"`));
        const node = await kube.reader('nodes')('', target.name);
        if ('status' in node) throw new StatusError(node.status);
        throw new StatusError(unreachable(kubeletAddress(node.object)));
      },
    }),
  };
}
