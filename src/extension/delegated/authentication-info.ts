/**
 * Follows the ConfigMap `kube-system/extension-apiserver-authentication`, in which the parent publishes its
 * authentication settings for extension servers.
 * Invariant: the last valid settings are used until newer valid settings are read. Malformed settings are reported and
 * ignored.
 */
import { isForbidden, isNotFound, isUnauthorized } from '../../apimachinery/status/status.ts';
import { ConfigError, isTransportError, TransportError, toError } from '../../base/errors.ts';
import type { Stoppable } from '../../base/lifetime.ts';
import type { Client } from '../../client/api.ts';
import type { InformerSet } from '../../client/informer.ts';
import { ConfigMap } from '../../kinds/api/core/v1.ts';
import type { RequestHeaderOptions } from '../../server/filters/authentication/request-header.ts';

const NAMESPACE = 'kube-system';
const NAME = 'extension-apiserver-authentication';

export interface ParentAuthentication {
  /** The CA of client certificates, PEM; '' for none. */
  readonly clientCa: string;
  /** The headers of the parent's proxy and the CA of its certificate. Undefined: the parent does not publish them. */
  readonly requestHeader: (RequestHeaderOptions & { readonly ca: string }) | undefined;
}

export interface AuthenticationInfoOptions {
  readonly client: Client;
  readonly informers: InformerSet;
  /** Called with all valid settings after the first ones. */
  onChange(authentication: ParentAuthentication): void;
  /** Called when the settings are malformed or cannot be read. */
  onProblem(error: Error): void;
}

const FORBIDDEN_HELP = `bind its user to the role ${NAME}-reader: kubectl create rolebinding NAME -n ${NAMESPACE} --role=${NAME}-reader --serviceaccount=NAMESPACE:NAME`;
const UNAUTHORIZED_HELP =
  'the parent does not accept the credentials of this server; a token may have expired: kubectl create token makes another one';

/**
 * Reads the ConfigMap and begins to watch it. Resolves with the first settings. Throws ConfigError if the ConfigMap
 * does not exist or this user may not read it, and TransportError if the parent cannot be reached.
 */
export async function followAuthenticationInfo(
  options: AuthenticationInfoOptions,
): Promise<Stoppable & { readonly first: ParentAuthentication }> {
  const { client, informers, onChange, onProblem } = options;
  const first = await readFirst(client);
  let last = JSON.stringify(first);
  const read = (data: Readonly<Record<string, string>> | undefined): void => {
    try {
      const next = parseAuthenticationInfo(data ?? {});
      const text = JSON.stringify(next);
      if (text === last) return;
      last = text;
      onChange(next);
    } catch (caught) {
      onProblem(toError(caught));
    }
  };
  const informer = informers.informer(ConfigMap, { namespace: NAMESPACE, fieldSelector: `metadata.name=${NAME}` });
  const registration = informer.addHandler({
    onAdd: ({ data }) => read(data),
    onUpdate: (_before, { data }) => read(data),
  });
  const stop = async (): Promise<void> => registration.remove();
  return { first, stop, [Symbol.asyncDispose]: stop };
}

async function readFirst(client: Client): Promise<ParentAuthentication> {
  try {
    const { data } = await client.api(ConfigMap, NAMESPACE).get(NAME);
    return parseAuthenticationInfo(data ?? {});
  } catch (caught) {
    const cause = toError(caught);
    const message = `cannot read the ConfigMap ${NAMESPACE}/${NAME} of the parent: ${cause.message}`;
    if (isTransportError(caught)) throw new TransportError(message, { cause, retryable: caught.retryable });
    if (isForbidden(caught)) throw new ConfigError(`${message}; ${FORBIDDEN_HELP}`, { cause });
    if (isUnauthorized(caught)) throw new ConfigError(`${message}; ${UNAUTHORIZED_HELP}`, { cause });
    throw isNotFound(caught) ? new ConfigError(message, { cause }) : cause;
  }
}

/** Parses the data of the ConfigMap. Throws ConfigError for lists that are not JSON arrays of strings. */
export function parseAuthenticationInfo(data: Readonly<Record<string, string>>): ParentAuthentication {
  const names = (key: string): readonly string[] => parseNames(key, data[`requestheader-${key}`] ?? '');
  const ca = data['requestheader-client-ca-file'] ?? '';
  return {
    clientCa: data['client-ca-file'] ?? '',
    requestHeader:
      ca.trim() === ''
        ? undefined
        : {
            ca,
            username: names('username-headers'),
            uid: names('uid-headers'),
            group: names('group-headers'),
            extraPrefix: names('extra-headers-prefix'),
            allowedNames: names('allowed-names'),
          },
  };
}

function parseNames(key: string, text: string): readonly string[] {
  if (text === '') return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ConfigError(`requestheader-${key} of the parent is not JSON`, { cause });
  }
  if (value === null) return [];
  if (!Array.isArray(value) || value.some((name) => typeof name !== 'string'))
    throw new ConfigError(`requestheader-${key} of the parent is not a list of texts`);
  return value as string[];
}
