/**
 * The addresses of the server: for clients, for discovery and OpenAPI documents, and for the Service
 * `default/kubernetes`.
 */
import type { ServerIdentity } from '../kube/bootstrap/service-network.ts';
import type { Listener } from '../node/listener.ts';
import { parseIp } from '../pki/ip.ts';
import type { CompletedOptions } from './complete-options.ts';
import type { Platform } from './platform.ts';

/** Returns host and port for clients: from the flags if they are set, otherwise from the listener. */
export function externalAddress({ options: { serving } }: CompletedOptions, { address, port }: Listener): string {
  const host = serving.externalHostname || serving.advertiseAddress || address;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Returns the name of this machine. */
export function hostnameOf(platform: Platform): string {
  return platform.hostNames({ allAddresses: false })[0] ?? 'localhost';
}

const UNSPECIFIED: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/**
 * Returns the identity for the endpoints of `default/kubernetes`, with the advertised address or an address of this
 * machine.
 */
export function serverIdentity({ options, platform }: CompletedOptions, { port }: Listener): ServerIdentity {
  const { serving, network } = options;
  const isEverywhere = UNSPECIFIED.has(serving.bindAddress);
  const addresses = isEverywhere ? platform.hostNames({ allAddresses: true }) : [serving.bindAddress];
  return {
    hostname: hostnameOf(platform),
    address: serving.advertiseAddress || (addresses.find((name) => parseIp(name) !== undefined) ?? ''),
    port,
    nodePort: network.serviceNodePort,
    writesEndpoints: network.endpointReconciler !== 'none',
  };
}
