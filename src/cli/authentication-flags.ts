/** The flags that say who a client is. */
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
    'let requests without credentials in as system:anonymous (default true)',
    authentication((v) => ({ anonymous: v.bool() })),
  ],
  [
    'api-audiences',
    'strings',
    'audiences that tokens must be for (default: the first issuer)',
    authentication((v) => ({ apiAudiences: v.list() })),
  ],
  [
    'client-ca-file',
    'string',
    'authorities of client certificates (default: the one of the data folder)',
    authentication((v) => ({ clientCaFile: v.text() })),
  ],
  // First of its family: a front proxy of one's own starts from the reference's empty lists, not from our defaults.
  [
    'requestheader-client-ca-file',
    'string',
    'authorities of front proxies (default: the one of the data folder)',
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
    'common names of front proxies; none means any',
    requestHeader((v) => ({ allowedNames: v.list() })),
  ],
  [
    'requestheader-extra-headers-prefix',
    'strings',
    'prefixes of headers with more about the user',
    requestHeader((v) => ({ extraHeaderPrefixes: v.list() })),
  ],
  [
    'requestheader-group-headers',
    'strings',
    'headers with groups of the user',
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
    'issuer of ServiceAccount tokens; repeated ones are accepted too (default "https://kubernetes.default.svc.cluster.local")',
    serviceAccounts((v) => ({ issuers: v.array() })),
  ],
  [
    'service-account-jwks-uri',
    'string',
    'where the discovery document says the keys are',
    serviceAccounts((v) => ({ jwksUri: v.text() })),
  ],
  [
    'service-account-key-file',
    'stringArray',
    'keys or certificates that verify ServiceAccount tokens; may be repeated (default: those of the data folder)',
    serviceAccounts((v) => ({ keyFiles: v.array() })),
  ],
  [
    'service-account-extend-token-expiration',
    'bool',
    'tokens that a kubelet mounts live for a year, with warnings after an hour (default true)',
    serviceAccounts((v) => ({ extendExpiration: v.bool() })),
  ],
  [
    'service-account-lookup',
    'bool',
    'compare tokens kept in Secrets with their Secret (default true)',
    serviceAccounts((v) => ({ lookup: v.bool() })),
  ],
  [
    'service-account-max-token-expiration',
    'duration',
    'longest life of a requested token; 0s for no limit (default 0s)',
    serviceAccounts((v) => ({ maxExpirationSeconds: seconds(v) })),
  ],
  [
    'token-auth-file',
    'string',
    'CSV file of tokens, users, uids and groups',
    authentication((v) => ({ tokenFile: v.text() })),
  ],
]);
