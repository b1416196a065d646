/** Whether certificates can be read from the CA bundle of a webhook. Invariant: the sentences are those of the reference's TLS setup. */
import { decodeBase64 } from '../base/base64.ts';
import { decodeUtf8 } from '../base/bytes.ts';
import { parseCertificate } from '../pki/certificate.ts';
import { parsePem } from '../pki/pem.ts';

/** `bundle` is base64 of PEM. Undefined if there is a certificate in it. */
export function checkCaBundle(bundle: string): string | undefined {
  const bytes = decodeBase64(bundle);
  const blocks = bytes === undefined ? [] : parsePem(decodeUtf8(bytes));
  const certificates = blocks.filter(({ type }) => type === 'CERTIFICATE');
  if (certificates.some((block) => parseCertificate(block.bytes) !== undefined)) return undefined;
  const because =
    blocks.length === 0
      ? 'unable to parse bytes as PEM block'
      : certificates.length > 0
        ? 'failed to parse certificate: x509: malformed certificate'
        : 'no valid certificate authority data seen';
  return `unable to load root certificates: ${because}`;
}
