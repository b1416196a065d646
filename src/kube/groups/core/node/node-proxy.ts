/** The subresource `proxy` of Nodes: where its kubelet would be. Invariant: it says what the reference says about a node without addresses; no kubelet runs here, so nothing is proxied. */
import { objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../../apimachinery/status/status.ts';
import { badRequest, unknown } from '../../../../apimachinery/status/status-catalogue.ts';
import type { SubresourceDefinition } from '../../../../server/resource/resource-definition.ts';
import type { KubeContext } from '../../../kube-context.ts';
import { builtInVersion } from '../../../shared/built-in.ts';
import { PROXY_METHODS, parseProxyAddress, unreachable } from '../../../shared/proxy-address.ts';

/** `--kubelet-preferred-address-types` by default. */
const PREFERRED = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];

export function nodeProxy(world: () => KubeContext): SubresourceDefinition {
  return {
    name: 'proxy',
    version: builtInVersion({ group: '', version: 'v1', kind: 'NodeProxyOptions', stored: false }),
    store: () => ({
      connectMethods: PROXY_METHODS,
      connects: { takesPath: true },
      connect: async ({ name: id }) => {
        const target = parseProxyAddress(id);
        if (target === undefined) throw new StatusError(badRequest(`invalid node request "${id}"`));
        const node = await world().reader('nodes')('', target.name);
        if ('status' in node) throw new StatusError(node.status);
        const addresses = objectsAt(node.object, 'status', 'addresses').map((one) => ({
          type: textAt(one, 'type'),
          address: textAt(one, 'address'),
        }));
        const found = PREFERRED.flatMap((type) => addresses.filter((one) => one.type === type))[0];
        if (found !== undefined) throw new StatusError(unreachable(found.address));
        const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ');
        throw new StatusError(unknown(`no preferred addresses found; known addresses: [${known}]`));
      },
    }),
  };
}
