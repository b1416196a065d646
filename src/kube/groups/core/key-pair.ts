/**
 * Checks that a PEM certificate and a PEM private key match, for the warning about Secrets of type kubernetes.io/tls.
 * Messages are those of Go's crypto/tls. The check is synchronous: a key whose public part can only be computed, such
 * as Ed25519 or EC without its point, counts as matching.
 */
import { decodeUtf8 } from '../../../base/bytes.ts';
import { readCertificate } from '../../../pki/certificate.ts';
import {
  contextTag,
  type DerElement,
  readBitString,
  readDerChildren,
  readDerSequence,
  readOid,
} from '../../../pki/der.ts';
import { parsePem } from '../../../pki/pem.ts';

const RSA = '1.2.840.113549.1.1.1';
const EC = '1.2.840.10045.2.1';
const POINT: number = contextTag(1, true);

/** Undefined if they match. */
export function keyPairProblem(certificatePem: Uint8Array, keyPem: Uint8Array): string | undefined {
  const blocks = parsePem(decodeUtf8(certificatePem));
  const leaf = blocks.find((block) => block.type === 'CERTIFICATE');
  if (leaf === undefined) return noCertificate(blocks.map((block) => block.type));
  const keyBlocks = parsePem(decodeUtf8(keyPem));
  const keyBlock = keyBlocks.find(({ type }) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY'));
  if (keyBlock === undefined) return noKey(keyBlocks.map((block) => block.type));
  const parsed = readCertificate(leaf.bytes);
  if (!parsed.ok) return parsed.problem;
  const key = publicPartOf(keyBlock.bytes);
  if (key === undefined) return 'tls: failed to parse private key';
  const spki = readDerSequence(parsed.certificate.spki);
  const algorithm = readOid(readDerSequence(spki?.[0]?.bytes ?? new Uint8Array())?.[0]);
  if (algorithm !== key.algorithm) return 'tls: private key type does not match public key type';
  if (key.publicBytes === undefined) return undefined;
  const expected = readBitString(spki?.[1]);
  return expected !== undefined && sameBytes(expected, key.publicBytes)
    ? undefined
    : 'tls: private key does not match public key';
}

function noCertificate(types: readonly string[]): string {
  if (types.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (types.length === 1 && types[0]?.endsWith('PRIVATE KEY') === true)
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

function noKey(types: readonly string[]): string {
  if (types.length === 0) return 'tls: failed to find any PEM data in key input';
  if (types.length === 1 && types[0] === 'CERTIFICATE')
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

interface PublicPart {
  readonly algorithm: string;
  /** The content of the bit string in SubjectPublicKeyInfo. Undefined if the private key does not contain it. */
  readonly publicBytes: Uint8Array | undefined;
}

/** Reads PKCS#1, SEC1 and PKCS#8. Undefined for other formats. */
function publicPartOf(der: Uint8Array): PublicPart | undefined {
  const [version, second, third] = readDerSequence(der) ?? [];
  if (version === undefined || second === undefined || third === undefined) return undefined;
  const algorithm = readOid(readDerSequence(second.bytes)?.[0]);
  if (algorithm !== undefined) {
    if (algorithm !== RSA && algorithm !== EC) return { algorithm, publicBytes: undefined };
    const inner = publicPartOf(third.content);
    return inner?.algorithm === algorithm ? inner : undefined;
  }
  return second.tag === 0x02 ? rsaPart(second, third) : ecPart(der);
}

function rsaPart(modulus: DerElement, exponent: DerElement): PublicPart {
  // The public key is a SEQUENCE of the same two integers.
  const content = [...modulus.bytes, ...exponent.bytes];
  const length = content.length;
  const header = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return { algorithm: RSA, publicBytes: Uint8Array.from([0x30, ...header, ...content]) };
}

function ecPart(der: Uint8Array): PublicPart {
  const point = readDerSequence(der)?.find((element) => element.tag === POINT);
  return { algorithm: EC, publicBytes: readBitString(readDerChildren(point?.content ?? new Uint8Array())?.[0]) };
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
