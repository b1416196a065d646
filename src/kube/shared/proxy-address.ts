/** Names in requests to a proxy subresource: `name`, `name:port`, `scheme:name:port`. Invariant: pure. */
import type { Status } from '../../apimachinery/status/status.ts';
import { serviceUnavailable } from '../../apimachinery/status/status-catalogue.ts';

export interface ProxyAddress {
  /** '' or `http`, `https`. */
  readonly scheme: string;
  readonly name: string;
  /** A number or a name; '' if none was given. */
  readonly port: string;
}

/** All methods, as the reference has them for its proxies. */
export const PROXY_METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'];

const SCHEMES = ['', 'http', 'https'];

/** Undefined for a name that is none of these. */
export function parseProxyAddress(text: string): ProxyAddress | undefined {
  const parts = text.split(':');
  const [scheme, name, port] = parts.length === 3 ? parts : ['', parts[0], parts[1]];
  if (parts.length > 3 || !name || !SCHEMES.includes(scheme as string)) return undefined;
  return { scheme: scheme as string, name, port: port ?? '' };
}

/** Nothing runs behind the objects of this server. */
export function unreachable(host: string): Status {
  return serviceUnavailable(`error trying to reach service: ${host} cannot be reached from this server`);
}
