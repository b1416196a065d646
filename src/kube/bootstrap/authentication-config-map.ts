/**
 * The ConfigMap `kube-system/extension-apiserver-authentication`, which tells extension API servers which CAs and
 * headers to trust. Invariant: values that another server wrote are kept. No value occurs twice, and expired
 * certificates are removed.
 */
import { readJson } from '../../base/json-read.ts';
import { type Certificate, formatCertificatePem, parseCertificatesPem } from '../../pki/certificate.ts';

/** The values of the flags `--requestheader-*`. */
export interface RequestHeaderTrust {
  readonly caPem: string;
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
  readonly allowedNames: readonly string[];
}

export interface AuthenticationTrust {
  /** '' if client certificates are not accepted. */
  readonly clientCaPem: string;
  /** Undefined if no front proxy is trusted. */
  readonly requestHeader: RequestHeaderTrust | undefined;
}

export const AUTHENTICATION_CONFIG_MAP = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };

type Data = Readonly<Record<string, string>>;

/** Returns the merged data of the ConfigMap, with sorted keys. `now` is in milliseconds. */
export function authenticationData(present: Data, trust: AuthenticationTrust, now: number): Record<string, string> {
  const { requestHeader } = trust;
  const data: Record<string, string> = {};
  const clientCa = joinCertificates([present['client-ca-file'], trust.clientCaPem], now);
  if (clientCa !== '') data['client-ca-file'] = clientCa;
  const proxyCa = joinCertificates([present['requestheader-client-ca-file'], requestHeader?.caPem], now);
  if (proxyCa === '') return data;
  const list = (key: string, own: readonly string[] | undefined): string =>
    JSON.stringify([...new Set([...readList(present[key]), ...(own ?? [])])]);
  data['requestheader-allowed-names'] = list('requestheader-allowed-names', requestHeader?.allowedNames);
  data['requestheader-client-ca-file'] = proxyCa;
  data['requestheader-extra-headers-prefix'] = list(
    'requestheader-extra-headers-prefix',
    requestHeader?.extraHeaderPrefixes,
  );
  data['requestheader-group-headers'] = list('requestheader-group-headers', requestHeader?.groupHeaders);
  const uidHeaders = list('requestheader-uid-headers', requestHeader?.uidHeaders);
  if (uidHeaders !== '[]') data['requestheader-uid-headers'] = uidHeaders;
  data['requestheader-username-headers'] = list('requestheader-username-headers', requestHeader?.usernameHeaders);
  return data;
}

function joinCertificates(texts: readonly (string | undefined)[], now: number): string {
  const kept: Certificate[] = [];
  for (const certificate of texts.flatMap((text) => parseCertificatesPem(text ?? '') ?? []))
    if (certificate.notAfter >= now && !kept.some((other) => sameBytes(other.der, certificate.der)))
      kept.push(certificate);
  return kept.map(formatCertificatePem).join('');
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** An invalid list counts as empty. */
function readList(text: string | undefined): readonly string[] {
  const read = text === undefined ? undefined : readJson(text);
  if (read?.ok !== true || !Array.isArray(read.value)) return [];
  return read.value.filter((item) => typeof item === 'string');
}
