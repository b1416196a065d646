/**
 * The serving certificates of a server and the CAs that it trusts.
 * Invariant: files that flags name are never written. All other certificates are issued by the CA of the data folder on
 * the first call, and renewed by later calls.
 */
import { ConfigError } from '../base/errors.ts';
import type { SniKeyPair, TlsConfig } from '../node/tls/tls-config.ts';
import type { EnsurePkiOptions, Pki } from '../pki/pki-folder.ts';
import { FRONT_PROXY_AUTHORITY } from '../server/filters/authentication/request-header.ts';
import { CLIENT_AUTHORITY } from '../server/filters/authentication/x509.ts';
import type { ClientKeyPair } from '../server/http/outbound.ts';
import { type PemLabel, readPemFile } from './flag-file.ts';
import type { ServerOptions, ServingOptions } from './options.ts';
import type { Platform } from './platform.ts';

export interface TlsMaterial {
  readonly pki: Pki;
  /** The configuration of the listener, with the CAs of clients. */
  readonly config: TlsConfig;
  /** The certificates, PEM, that a client must trust to accept the serving certificate. */
  readonly servingCaPem: string;
  /** The CAs of clients and of front proxies, PEM, which are published for extension servers. */
  readonly clientCaPem: string;
  readonly requestHeaderCaPem: string;
  /** The client certificate for extension servers. Undefined: there is none. */
  readonly proxyClient: ClientKeyPair | undefined;
}

/** The place of keys and certificates that no flag names: a folder, or a map in memory. */
export type PkiPlace = Pick<EnsurePkiOptions, 'folder' | 'memory'>;

type ReadPem = (flag: string, path: string, label: PemLabel) => Promise<string>;

const UNSPECIFIED = new Set(['0.0.0.0', '::']);

export async function loadTlsMaterial(
  options: ServerOptions,
  platform: Platform,
  place: PkiPlace,
): Promise<TlsMaterial> {
  const { serving, authentication } = options;
  const hosts = servingHosts(serving, platform);
  const pki = await platform.ensurePki({ ...place, clock: platform.clock, hosts });
  const read: ReadPem = (flag, path, label) => readPemFile(platform, { flag, path, label });
  const clientCaPem =
    authentication.clientCaFile === ''
      ? pki.ca.certificatePem
      : await read('--client-ca-file', authentication.clientCaFile, 'CERTIFICATE');
  const requestHeaderCaPem =
    authentication.requestHeader.clientCaFile === ''
      ? pki.frontProxyCa.certificatePem
      : await read('--requestheader-client-ca-file', authentication.requestHeader.clientCaFile, 'CERTIFICATE');
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
    servingCaPem: own.external ? `${own.cert.trimEnd()}\n${pki.ca.certificatePem}` : pki.ca.certificatePem,
    clientCaPem,
    requestHeaderCaPem,
    proxyClient: await proxyClientPair(options, pki, read),
  };
}

/**
 * Returns the client certificate for extension servers. The certificate of the data folder is issued by the CA of the
 * data folder, so with another front-proxy CA there is none, unless flags name one.
 */
async function proxyClientPair(
  { aggregation, authentication }: ServerOptions,
  pki: Pki,
  read: ReadPem,
): Promise<ClientKeyPair | undefined> {
  const { proxyClientCertFile: certFile, proxyClientKeyFile: keyFile } = aggregation;
  if ((certFile === '') !== (keyFile === ''))
    throw new ConfigError('--proxy-client-cert-file and --proxy-client-key-file: set both flags or neither');
  if (certFile !== '')
    return {
      cert: await read('--proxy-client-cert-file', certFile, 'CERTIFICATE'),
      key: await read('--proxy-client-key-file', keyFile, 'PRIVATE KEY'),
    };
  if (authentication.requestHeader.clientCaFile !== '') return undefined;
  const { certificatePem, keyPem } = pki.frontProxyClient;
  return { cert: certificatePem, key: keyPem };
}

/** Returns the configurable names and addresses in the serving certificate. */
function servingHosts(serving: ServingOptions, platform: Platform): readonly string[] {
  const unspecified = UNSPECIFIED.has(serving.bindAddress);
  const configured = [serving.externalHostname, serving.advertiseAddress, unspecified ? '' : serving.bindAddress];
  return [...platform.hostNames({ allAddresses: unspecified }), ...configured.filter((host) => host !== '')];
}

interface ServingPair {
  readonly key: string;
  readonly cert: string;
  /** Whether a CA other than that of the data folder may have issued the certificate. */
  readonly external: boolean;
}

async function servingPair(
  serving: ServingOptions,
  platform: Platform,
  pki: Pki,
  hosts: readonly string[],
  read: ReadPem,
): Promise<ServingPair> {
  const { certFile, keyFile, certDir } = serving;
  if ((certFile === '') !== (keyFile === ''))
    throw new ConfigError('--tls-cert-file and --tls-private-key-file: set both flags or neither');
  if (certFile !== '')
    return {
      cert: await read('--tls-cert-file', certFile, 'CERTIFICATE'),
      key: await read('--tls-private-key-file', keyFile, 'PRIVATE KEY'),
      external: true,
    };
  const pair = certDir === '' ? pki.server : await platform.ensureServingPair(certDir, pki, hosts);
  return { cert: pair.certificatePem, key: pair.keyPem, external: certDir !== '' };
}

async function sniPairs({ sni }: ServingOptions, read: ReadPem): Promise<readonly SniKeyPair[]> {
  const flag = '--tls-sni-cert-key';
  return Promise.all(
    sni.map(async ({ certFile, keyFile, names }) => ({
      cert: await read(flag, certFile, 'CERTIFICATE'),
      key: await read(flag, keyFile, 'PRIVATE KEY'),
      ...(names.length === 0 ? {} : { names }),
    })),
  );
}
