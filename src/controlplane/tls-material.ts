/**
 * Certificates of a server: what it shows, and whom it trusts. Invariant: what the operator named is used as it is and never written; the rest comes from the data
 * folder's authority, made on the first call and renewed on later ones.
 */
import { ConfigError } from '../base/errors.ts';
import type { SniKeyPair, TlsConfig } from '../node/tls/tls-identity.ts';
import type { Pki } from '../pki/pki-folder.ts';
import { FRONT_PROXY_AUTHORITY } from '../server/filters/authentication/request-header.ts';
import { CLIENT_AUTHORITY } from '../server/filters/authentication/x509.ts';
import { readFlagFile } from './flag-file.ts';
import type { ServerOptions, ServingOptions } from './options.ts';
import type { Platform } from './platform.ts';

export interface TlsMaterial {
  readonly pki: Pki;
  /** For the listener; the authorities of clients included. */
  readonly config: TlsConfig;
  /** What a client must trust to accept the serving certificate, PEM. */
  readonly servingCaPem: string;
  /** PEM of the authorities of clients and of front proxies, as other servers are told them. */
  readonly clientCaPem: string;
  readonly requestHeaderCaPem: string;
}

const UNSPECIFIED = new Set(['0.0.0.0', '::']);

export async function loadTlsMaterial(
  options: ServerOptions,
  platform: Platform,
  pkiFolder: string,
): Promise<TlsMaterial> {
  const { serving, authentication } = options;
  const hosts = servingHosts(serving, platform);
  const pki = await platform.ensurePki({ folder: pkiFolder, clock: platform.clock, hosts });
  const read = (flag: string, path: string): Promise<string> => readFlagFile(platform, flag, path);
  const clientCaPem =
    authentication.clientCaFile === ''
      ? pki.ca.certificatePem
      : await read('--client-ca-file', authentication.clientCaFile);
  const requestHeaderCaPem =
    authentication.requestHeader.clientCaFile === ''
      ? pki.frontProxyCa.certificatePem
      : await read('--requestheader-client-ca-file', authentication.requestHeader.clientCaFile);
  const own = await servingPair(serving, platform, pki, hosts, read);
  return {
    pki,
    config: {
      key: own.key,
      cert: own.cert,
      sni: await sniPairs(serving, read),
      clientCa: { [CLIENT_AUTHORITY]: clientCaPem, [FRONT_PROXY_AUTHORITY]: requestHeaderCaPem },
      minVersion: serving.minTlsVersion,
    },
    servingCaPem: own.foreign ? `${own.cert.trimEnd()}\n${pki.ca.certificatePem}` : pki.ca.certificatePem,
    clientCaPem,
    requestHeaderCaPem,
  };
}

/** Names beside the fixed ones that clients may use. */
function servingHosts(serving: ServingOptions, platform: Platform): readonly string[] {
  const unspecified = UNSPECIFIED.has(serving.bindAddress);
  const said = [serving.externalHostname, serving.advertiseAddress, unspecified ? '' : serving.bindAddress];
  return [...platform.hostNames({ allAddresses: unspecified }), ...said.filter((host) => host !== '')];
}

interface ServingPair {
  readonly key: string;
  readonly cert: string;
  /** Perhaps not of our authority. */
  readonly foreign: boolean;
}

async function servingPair(
  serving: ServingOptions,
  platform: Platform,
  pki: Pki,
  hosts: readonly string[],
  read: (flag: string, path: string) => Promise<string>,
): Promise<ServingPair> {
  const { certFile, keyFile, certDir } = serving;
  if ((certFile === '') !== (keyFile === ''))
    throw new ConfigError('--tls-cert-file and --tls-private-key-file: give both or none of them');
  if (certFile !== '')
    return {
      cert: await read('--tls-cert-file', certFile),
      key: await read('--tls-private-key-file', keyFile),
      foreign: true,
    };
  const pair = certDir === '' ? pki.server : await platform.ensureServingPair(certDir, pki, hosts);
  return { cert: pair.certificatePem, key: pair.keyPem, foreign: certDir !== '' };
}

async function sniPairs(
  { sni }: ServingOptions,
  read: (flag: string, path: string) => Promise<string>,
): Promise<readonly SniKeyPair[]> {
  const flag = '--tls-sni-cert-key';
  return Promise.all(
    sni.map(async ({ certFile, keyFile, names }) => ({
      cert: await read(flag, certFile),
      key: await read(flag, keyFile),
      ...(names.length === 0 ? {} : { names }),
    })),
  );
}
