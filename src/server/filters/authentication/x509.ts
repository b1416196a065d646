/**
 * Authentication by client certificate: the common name is the user, the organizations are the groups.
 *
 * Invariant: only a certificate that was verified against the `client` authority identifies a user. The result is
 * computed once per certificate and kept as long as the connection.
 */
import { formatHex } from '../../../base/bytes.ts';
import { sha256 as baseSha256 } from '../../../base/sha256.ts';
import { type AuthenticationResult, type Authenticator, NOT_RECOGNIZED } from '../../authenticator.ts';
import type { PeerCertificate } from '../../http/exchange.ts';
import { subjectUid } from './x509-uid.ts';

/** The authority that verifies the certificates of users. */
export const CLIENT_AUTHORITY = 'client';

/** The extra key that identifies the credential. */
export const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

export interface X509Options {
  /** Default: `base/sha256`. */
  readonly sha256?: (bytes: Uint8Array) => Uint8Array;
}

/**
 * Returns the authenticator. It does not recognize a certificate without a common name. A certificate that cannot be
 * verified is a wrong credential.
 */
export function x509Authenticator(options: X509Options = {}): Authenticator {
  const sha256 = options.sha256 ?? baseSha256;
  const known = new WeakMap<PeerCertificate, AuthenticationResult>();
  return ({ connection }) => {
    const certificate = connection.certificate();
    if (certificate === undefined || !certificate.authorities.includes(CLIENT_AUTHORITY)) {
      const problem = connection.certificateProblem(CLIENT_AUTHORITY);
      return problem === undefined
        ? NOT_RECOGNIZED
        : { outcome: 'failed', message: `verifying certificate failed: ${problem}` };
    }
    let result = known.get(certificate);
    if (result === undefined) {
      result = resultOf(certificate, sha256);
      known.set(certificate, result);
    }
    return result;
  };
}

function resultOf(certificate: PeerCertificate, sha256: (bytes: Uint8Array) => Uint8Array): AuthenticationResult {
  const { commonName, organizations, der } = certificate;
  if (commonName === '') return NOT_RECOGNIZED;
  const subject = subjectUid(der);
  if (!subject.ok) return { outcome: 'failed', message: subject.message };
  const extra = { [CREDENTIAL_ID]: [`X509SHA256=${formatHex(sha256(der))}`] };
  return { outcome: 'ok', user: { name: commonName, uid: subject.uid, groups: organizations, extra } };
}
