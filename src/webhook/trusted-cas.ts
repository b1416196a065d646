/**
 * The CAs of a `caBundle` that several replicas of a program share. Each replica with a CA of its own adds it and keeps
 * the CAs of the others.
 */
import { decodeBase64 } from '../base/base64.ts';
import { decodeUtf8 } from '../base/bytes.ts';
import type { WebhookClientConfig } from '../kinds/api/admissionregistration/v1.ts';
import { formatCertificatePem } from '../pki/certificate.ts';
import { readPemCertificates } from '../pki/x509/certificate-pool.ts';
import type { WebhookAddress } from './webhook-server.ts';

/**
 * The most CAs in a bundle. Replicas without a folder make a CA at each start; beyond this number the oldest CAs of
 * others are dropped.
 */
const MOST_CAS = 32;

/**
 * Returns the PEM certificates of `own`, followed by those of the bundles that have not expired and are not in `own`,
 * the newest first. Malformed certificates of bundles are dropped.
 */
export function mergeCas(own: string, bundles: readonly string[], now: number): string {
  const seen = new Set(readPemCertificates(own).map(formatCertificatePem));
  const room = Math.max(0, MOST_CAS - seen.size);
  const others = bundles
    .flatMap((bundle) => readPemCertificates(decodeUtf8(decodeBase64(bundle) ?? new Uint8Array())))
    .filter((certificate) => certificate.notAfter > now)
    .sort((left, right) => right.notBefore - left.notBefore);
  const kept = new Set(others.map(formatCertificatePem).filter((pem) => !seen.has(pem)));
  return [own.trimEnd(), ...[...kept].slice(0, room).map((pem) => pem.trimEnd())].join('\n').concat('\n');
}

/**
 * Returns the bundles of the client configurations that lead to the address. Those of other addresses are not shared.
 */
export function bundlesFor(address: WebhookAddress, configs: readonly WebhookClientConfig[]): readonly string[] {
  return configs
    .filter((config) => leadsTo(config, address))
    .flatMap(({ caBundle }) => (caBundle === undefined ? [] : [caBundle]));
}

function leadsTo({ url, service }: WebhookClientConfig, address: WebhookAddress): boolean {
  if ('url' in address) return url !== undefined && new URL(url).origin === new URL(address.url).origin;
  const { namespace, name, port = 443 } = address.service;
  return service?.namespace === namespace && service.name === name && (service.port ?? 443) === port;
}
