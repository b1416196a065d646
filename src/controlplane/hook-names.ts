/** The reference's names of post-start hooks, under which health checks report them. */

export const KUBE_HOOKS: readonly string[] = [
  'rbac/bootstrap-roles',
  'start-system-namespaces-controller',
  'start-cluster-authentication-info-controller',
];
export const APIEXTENSIONS_HOOKS: readonly string[] = [
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
];
export const AGGREGATOR_HOOKS: readonly string[] = [
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'kube-apiserver-autoregistration',
  'apiservice-openapi-controller',
  'apiservice-openapiv3-controller',
];
/** It waits for servers behind APIServices, so that no other hook of the aggregator does. */
export const DISCOVERY_HOOK = 'apiservice-discovery-controller';
/** Only servers with `--encryption-provider-config-automatic-reload` have it. */
export const RELOAD_HOOK = 'start-encryption-provider-config-automatic-reload';
/** Only servers with `--proxy-client-cert-file` have it. */
export const PROXY_CERTIFICATE_HOOK = 'aggregator-reload-proxy-client-cert';
