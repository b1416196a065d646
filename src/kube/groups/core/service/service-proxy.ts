/** The `proxy` subresource of Services. No pod is reachable, so every request fails. */
import { numberAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../../apimachinery/status/status.ts';
import { badRequest, notFound, serviceUnavailable } from '../../../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import type { ObjectReader } from '../../../../server/own/object-reader.ts';
import type { SubresourceDefinition } from '../../../../server/resource/resource-definition.ts';
import type { ResourceContext } from '../../../../server/resource/resource-store.ts';
import type { KubeContext } from '../../../kube-context.ts';
import { builtInVersion } from '../../../shared/built-in.ts';
import { PROXY_METHODS, parseProxyAddress, unreachable } from '../proxy-address.ts';

export function serviceProxy(kube: KubeContext): SubresourceDefinition {
  return {
    name: 'proxy',
    version: builtInVersion({ group: '', version: 'v1', kind: 'ServiceProxyOptions', stored: false }),
    store: () => ({
      connectMethods: PROXY_METHODS,
      connectOptions: { takesPath: true },
      connect: async (context) => {
        throw new StatusError(unreachable(await locate(kube, context)));
      },
    }),
  };
}

/** Host and port of a pod behind the Service. Throws StatusError if there is none. */
async function locate(kube: KubeContext, { namespace, name: id }: ResourceContext): Promise<string> {
  const address = parseProxyAddress(id);
  if (address === undefined) throw new StatusError(badRequest(`invalid service request "${id}"`));
  const { name } = address;
  const read = async (plural: string): Promise<JsonObject> => {
    const answer = await kube.reader(plural)(namespace, name);
    if ('status' in answer) throw new StatusError(notFound({ group: '', resource: 'services' }, name));
    return answer.object;
  };
  let port = address.port;
  if (/^[+-]?\d+$/.test(port)) {
    const ports = objectsAt(await read('services'), 'spec', 'ports');
    const found = ports.find((one) => Number(numberAt(one, 'port')) === Number(port));
    if (found === undefined)
      throw new StatusError(serviceUnavailable(`no service port ${Number(port)} found for service "${name}"`));
    port = textAt(found, 'name');
  }
  const subsets = objectsAt(await read('endpoints'), 'subsets');
  if (subsets.length === 0) throw new StatusError(serviceUnavailable(`no endpoints available for service "${name}"`));
  const pods = kube.reader('pods');
  for (const subset of subsets)
    for (const one of objectsAt(subset, 'ports').filter((candidate) => textAt(candidate, 'name') === port))
      for (const target of objectsAt(subset, 'addresses'))
        if (await isPod(pods, target, namespace)) return `${textAt(target, 'ip')}:${numberAt(one, 'port')}`;
  throw new StatusError(serviceUnavailable(`no endpoints available for service "${id}"`));
}

/** Whether the endpoint's address is the IP of the pod it refers to, in the namespace of the Service. */
async function isPod(pods: ObjectReader, target: JsonObject, namespace: string): Promise<boolean> {
  const reference = objectAt(target, 'targetRef');
  if (reference === undefined || textAt(reference, 'namespace') !== namespace) return false;
  const pod = await pods(namespace, textAt(reference, 'name'));
  if (!('object' in pod)) return false;
  return objectsAt(pod.object, 'status', 'podIPs').some((one) => textAt(one, 'ip') === textAt(target, 'ip'));
}
