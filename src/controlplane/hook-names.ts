/** kube-apiserver's names of post-start hooks. Health checks report the hooks by these names. */

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
/** This hook alone waits for the servers behind APIServices, so no other hook of the aggregator has to. */
export const DISCOVERY_HOOK = 'apiservice-discovery-controller';
/** Only servers with `--encryption-provider-config-automatic-reload` have this hook. */
export const RELOAD_HOOK = 'start-encryption-provider-config-automatic-reload';
/** Only servers with `--proxy-client-cert-file` have this hook. */
export const PROXY_CERTIFICATE_HOOK = 'aggregator-reload-proxy-client-cert';
