/** The flags of authentication. */
import type { ServerOptions } from '../controlplane/options.ts';
import { authentication, type CommandOptions, type Effect, group, type ServerFlag, seconds } from './server-flag.ts';

function requestHeader(effect: Effect<ServerOptions['authentication']['requestHeader']>): Effect<CommandOptions> {
  return authentication((values) => ({ requestHeader: effect(values) }));
}

function serviceAccounts(effect: Effect<ServerOptions['authentication']['serviceAccounts']>): Effect<CommandOptions> {
  return authentication((values) => ({ serviceAccounts: effect(values) }));
}

export const AUTHENTICATION_FLAGS: readonly ServerFlag[] = group('Authentication', [
  [
    'anonymous-auth',
    'bool',
    'authenticate requests without credentials as system:anonymous (default true)',
    authentication((v) => ({ anonymous: v.bool() })),
  ],
  [
    'api-audiences',
    'strings',
    'audiences that tokens must have (default: the first issuer)',
    authentication((v) => ({ apiAudiences: v.list() })),
  ],
  [
    'client-ca-file',
    'string',
    'CA certificates of clients (default: the CA in the data folder)',
    authentication((v) => ({ clientCaFile: v.text() })),
  ],
  // Must precede the other requestheader flags. If the user names a proxy CA, those flags default to empty lists, as in
  // kube-apiserver, and not to the names of the proxy CA in the data folder.
  [
    'requestheader-client-ca-file',
    'string',
    'CA certificates of front proxies (default: the CA in the data folder)',
    requestHeader((v) => ({
      clientCaFile: v.text(),
      allowedNames: [],
      usernameHeaders: [],
      uidHeaders: [],
      groupHeaders: [],
      extraHeaderPrefixes: [],
    })),
  ],
  [
    'requestheader-allowed-names',
    'strings',
    'common names of front proxies; any if empty',
    requestHeader((v) => ({ allowedNames: v.list() })),
  ],
  [
    'requestheader-extra-headers-prefix',
    'strings',
    'prefixes of headers with extra attributes of the user',
    requestHeader((v) => ({ extraHeaderPrefixes: v.list() })),
  ],
  [
    'requestheader-group-headers',
    'strings',
    'headers with the groups of the user',
    requestHeader((v) => ({ groupHeaders: v.list() })),
  ],
  [
    'requestheader-uid-headers',
    'strings',
    'headers with the uid of the user',
    requestHeader((v) => ({ uidHeaders: v.list() })),
  ],
  [
    'requestheader-username-headers',
    'strings',
    'headers with the name of the user',
    requestHeader((v) => ({ usernameHeaders: v.list() })),
  ],
  [
    'service-account-issuer',
    'stringArray',
    'issuer of ServiceAccount tokens; if repeated, the first signs and all are accepted (default "https://kubernetes.default.svc.cluster.local")',
    serviceAccounts((v) => ({ issuers: v.array() })),
  ],
  [
    'service-account-jwks-uri',
    'string',
    'address of the keys in the OpenID discovery document',
    serviceAccounts((v) => ({ jwksUri: v.text() })),
  ],
  [
    'service-account-key-file',
    'stringArray',
    'keys or certificates that verify ServiceAccount tokens; may be repeated (default: those in the data folder)',
    serviceAccounts((v) => ({ keyFiles: v.array() })),
  ],
  [
    'service-account-extend-token-expiration',
    'bool',
    'tokens that a kubelet mounts are valid for a year, with warnings after an hour (default true)',
    serviceAccounts((v) => ({ extendExpiration: v.bool() })),
  ],
  [
    'service-account-lookup',
    'bool',
    'check that a token of a Secret still matches its Secret (default true)',
    serviceAccounts((v) => ({ lookup: v.bool() })),
  ],
  [
    'service-account-max-token-expiration',
    'duration',
    'longest validity of a requested token; 0s for no limit (default 0s)',
    serviceAccounts((v) => ({ maxExpirationSeconds: seconds(v) })),
  ],
  [
    'token-auth-file',
    'string',
    'CSV file of tokens, users, uids and groups',
    authentication((v) => ({ tokenFile: v.text() })),
  ],
]);
