/** The ensured objects of a new server. Namespaces and the bootstrap policy are written beside them. */
import { objectAt } from '../../apimachinery/meta/object-fields.ts';
import { equalJson } from '../../base/json-value.ts';
import type { EnsuredObject } from '../ensurer/ensured-object.ts';
import { flowObjects } from '../flow-control/flow-objects.ts';
import {
  AUTHENTICATION_CONFIG_MAP,
  type AuthenticationTrust,
  authenticationData,
} from './authentication-config-map.ts';
import { kubernetesServiceObjects } from './kubernetes-service.ts';
import { priorityClassObjects } from './priority-class-objects.ts';
import type { ServiceNetwork } from './service-network.ts';

/** Its data contains the date since which the use of legacy tokens is recorded. */
const TOKEN_TRACKING_CONFIG_MAP = {
  namespace: 'kube-system',
  name: 'kube-apiserver-legacy-service-account-token-tracking',
};

type Data = Readonly<Record<string, string>>;

/** `now` is in milliseconds. */
export function bootstrapObjects(
  network: ServiceNetwork,
  trust: AuthenticationTrust,
  now: number,
): readonly EnsuredObject[] {
  return [
    authenticationObject(trust, now),
    configMap(TOKEN_TRACKING_CONFIG_MAP, (present) =>
      present['since'] === undefined ? { since: new Date(now).toISOString().slice(0, 10) } : present,
    ),
    ...kubernetesServiceObjects(network, now),
    ...priorityClassObjects(),
    ...flowObjects(now),
  ];
}

/** The ConfigMap that tells extension servers whom to trust. */
export function authenticationObject(trust: AuthenticationTrust, now: number): EnsuredObject {
  return configMap(AUTHENTICATION_CONFIG_MAP, (present) => authenticationData(present, trust, now));
}

/** `dataOf` returns the data to store, given the present data. */
function configMap(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  dataOf: (present: Data) => Data,
): EnsuredObject {
  return {
    plural: 'configmaps',
    object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace }, data: { ...dataOf({}) } },
    strategy: (stored) => {
      const present = (objectAt(stored, 'data') ?? {}) as Data;
      const data = { ...dataOf(present) };
      return equalJson(present, data) ? undefined : { ...stored, data };
    },
  };
}
