/** The public key of a certificate: its algorithm and what verification and messages need to know about it. */
import { equalBytes } from '../../base/bytes.ts';
import { DER } from '../der.ts';
import { CertificateFault, need } from './certificate-fault.ts';
import { CURVES, type Curve, pointProblem } from './curves.ts';
import { alignBits, DerReader, signedNumber } from './der-reader.ts';
import { type AlgorithmIdentifier, readAlgorithmIdentifier } from './signature-scheme.ts';

export type PublicKeyDetails =
  | {
      readonly algorithm: 'RSA';
      /** The size of the modulus in bits. */
      readonly bits: number;
      /** Why Go verifies no signature with this key; undefined if it does. */
      readonly problem: string | undefined;
    }
  | { readonly algorithm: 'ECDSA'; readonly curve: Curve }
  | { readonly algorithm: 'Ed25519' }
  /** No signature is verified with DSA. */
  | { readonly algorithm: 'DSA' };

const NULL: Uint8Array = Uint8Array.of(DER.null, 0);

/**
 * Parses SubjectPublicKeyInfo with its tag. Returns undefined for an algorithm that Go does not know. Throws
 * CertificateFault if the key is malformed.
 */
export function parsePublicKey(spki: Uint8Array): PublicKeyDetails | undefined {
  const fields = need(new DerReader(spki).enter(DER.sequence), 'x509: malformed spki');
  const identifier = need(fields.read(DER.sequence), 'x509: malformed public key algorithm identifier').content;
  const algorithm = readAlgorithmIdentifier(identifier);
  if (typeof algorithm === 'string') throw new CertificateFault(algorithm);
  const key = alignBits(need(fields.readBits(), 'x509: malformed subjectPublicKey'));
  switch (algorithm.oid) {
    case '1.2.840.113549.1.1.1':
      return parseRsa(algorithm, key);
    case '1.2.840.10045.2.1':
      return parseEcdsa(algorithm, key);
    case '1.3.101.112':
      return parseEd25519(algorithm, key);
    case '1.2.840.10040.4.1':
      return parseDsa(algorithm, key);
    default:
      return undefined;
  }
}

function parseRsa({ parameters }: AlgorithmIdentifier, key: Uint8Array): PublicKeyDetails {
  if (parameters === undefined || !equalBytes(parameters, NULL))
    throw new CertificateFault('x509: RSA key missing NULL parameters');
  const fields = need(new DerReader(key).enter(DER.sequence), 'x509: invalid RSA public key');
  const modulus = need(fields.readInteger(), 'x509: invalid RSA modulus');
  const exponent = need(signedNumber(fields.readInteger(), 8), 'x509: invalid RSA public exponent');
  if (!isPositive(modulus)) throw new CertificateFault('x509: RSA modulus is not a positive number');
  if (exponent <= 0n) throw new CertificateFault('x509: RSA public exponent is not a positive number');
  const bits = bitLength(modulus);
  return { algorithm: 'RSA', bits, problem: rsaProblem(modulus, exponent, bits) };
}

function rsaProblem(modulus: Uint8Array, exponent: bigint, bits: number): string | undefined {
  if (bits < 1024)
    return `crypto/rsa: ${bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`;
  if ((modulus[modulus.length - 1] as number) % 2 === 0) return 'crypto/rsa: public modulus is even';
  if (exponent < 2n) return 'crypto/rsa: public exponent too small or negative';
  if (exponent % 2n === 0n) return 'crypto/rsa: public exponent is even';
  return exponent >= 2n ** 31n ? 'crypto/rsa: public exponent too large' : undefined;
}

function parseEcdsa({ parameters }: AlgorithmIdentifier, key: Uint8Array): PublicKeyDetails {
  const oid = parameters === undefined ? undefined : new DerReader(parameters).readOid();
  const curve = need(CURVES.get(need(oid, 'x509: invalid ECDSA parameters')), 'x509: unsupported elliptic curve');
  const problem = pointProblem(curve, key);
  if (problem !== undefined) throw new CertificateFault(problem);
  return { algorithm: 'ECDSA', curve };
}

function parseEd25519({ parameters }: AlgorithmIdentifier, key: Uint8Array): PublicKeyDetails {
  if (parameters !== undefined) throw new CertificateFault('x509: Ed25519 key encoded with illegal parameters');
  if (key.length !== 32) throw new CertificateFault('x509: wrong Ed25519 public key size');
  return { algorithm: 'Ed25519' };
}

function parseDsa({ parameters }: AlgorithmIdentifier, key: Uint8Array): PublicKeyDetails {
  const y = need(new DerReader(key).readInteger(), 'x509: invalid DSA public key');
  const fields = parameters === undefined ? undefined : new DerReader(parameters).enter(DER.sequence);
  const numbers = [y];
  for (let i = 0; i < 3; i++) numbers.push(need(fields?.readInteger(), 'x509: invalid DSA parameters'));
  if (!numbers.every(isPositive)) throw new CertificateFault('x509: zero or negative DSA parameter');
  return { algorithm: 'DSA' };
}

/** The integer has no superfluous leading byte. */
function isPositive(integer: Uint8Array): boolean {
  const first = integer[0] as number;
  return first < 0x80 && (first !== 0 || integer.length > 1);
}

/** Returns the number of bits of a positive integer. */
function bitLength(integer: Uint8Array): number {
  const digits = integer[0] === 0 ? integer.subarray(1) : integer;
  return digits.length * 8 - Math.clz32(digits[0] as number) + 24;
}
