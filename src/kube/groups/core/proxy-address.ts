/** Parsing of names in requests to a `proxy` subresource: `name`, `name:port` or `scheme:name:port`. */
import type { Status } from '../../../apimachinery/status/status.ts';
import { serviceUnavailable } from '../../../apimachinery/status/status-catalogue.ts';

export interface ProxyAddress {
  /** `http`, `https`, or '' if absent. */
  readonly scheme: string;
  readonly name: string;
  /** A port number or name, or '' if absent. */
  readonly port: string;
}

/** The methods that kube-apiserver registers for its proxies. */
export const PROXY_METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'];

const SCHEMES = ['', 'http', 'https'];

/** Undefined for a malformed name. */
export function parseProxyAddress(text: string): ProxyAddress | undefined {
  const parts = text.split(':');
  const [scheme, name, port] = parts.length === 3 ? parts : ['', parts[0], parts[1]];
  if (parts.length > 3 || !name || !SCHEMES.includes(scheme as string)) return undefined;
  return { scheme: scheme as string, name, port: port ?? '' };
}

/** The answer to every proxy request: this server has no route to nodes, pods or Services. */
export function unreachable(host: string): Status {
  return serviceUnavailable(`error trying to reach service: ${host} cannot be reached from this server`);
}
