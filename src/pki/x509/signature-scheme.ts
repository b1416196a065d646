/**
 * Signature algorithms of certificates and certificate requests: those that Go's x509 knows, under Go's names.
 */
import { equalBytes } from '../../base/bytes.ts';
import { contextTag, DER } from '../der.ts';
import { DerReader, signedNumber } from './der-reader.ts';

export type KeyAlgorithm = 'RSA' | 'DSA' | 'ECDSA' | 'Ed25519';

export interface SignatureScheme {
  /** Go's name, which appears in messages: `SHA1-RSA`. */
  readonly name: string;
  readonly key: KeyAlgorithm;
  /** Web Crypto's name of the hash; empty for Ed25519, which hashes the message itself. */
  readonly hash: '' | 'MD5' | 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512';
  /** RSASSA-PSS with a salt as long as the hash, instead of PKCS #1 v1.5. */
  readonly isPss: boolean;
}

export interface AlgorithmIdentifier {
  readonly oid: string;
  /** The parameters with their tag; undefined if they are absent. */
  readonly parameters: Uint8Array | undefined;
}

const scheme = (name: string, key: KeyAlgorithm, hash: SignatureScheme['hash'], isPss = false): SignatureScheme => ({
  name,
  key,
  hash,
  isPss,
});

const SHA1_RSA = scheme('SHA1-RSA', 'RSA', 'SHA-1');
const ED25519 = '1.3.101.112';
const RSA_PSS = '1.2.840.113549.1.1.10';
const MGF1 = '1.2.840.113549.1.1.8';

const SCHEMES: ReadonlyMap<string, SignatureScheme> = new Map([
  ['1.2.840.113549.1.1.4', scheme('MD5-RSA', 'RSA', 'MD5')],
  ['1.2.840.113549.1.1.5', SHA1_RSA],
  // ISO's identifier of the same algorithm.
  ['1.3.14.3.2.29', SHA1_RSA],
  ['1.2.840.113549.1.1.11', scheme('SHA256-RSA', 'RSA', 'SHA-256')],
  ['1.2.840.113549.1.1.12', scheme('SHA384-RSA', 'RSA', 'SHA-384')],
  ['1.2.840.113549.1.1.13', scheme('SHA512-RSA', 'RSA', 'SHA-512')],
  ['1.2.840.10040.4.3', scheme('DSA-SHA1', 'DSA', 'SHA-1')],
  ['2.16.840.1.101.3.4.3.2', scheme('DSA-SHA256', 'DSA', 'SHA-256')],
  ['1.2.840.10045.4.1', scheme('ECDSA-SHA1', 'ECDSA', 'SHA-1')],
  ['1.2.840.10045.4.3.2', scheme('ECDSA-SHA256', 'ECDSA', 'SHA-256')],
  ['1.2.840.10045.4.3.3', scheme('ECDSA-SHA384', 'ECDSA', 'SHA-384')],
  ['1.2.840.10045.4.3.4', scheme('ECDSA-SHA512', 'ECDSA', 'SHA-512')],
  [ED25519, scheme('Ed25519', 'Ed25519', '')],
]);

/** By the object identifier of the hash. Go accepts only a salt as long as the hash. */
const PSS: ReadonlyMap<string, { readonly salt: bigint; readonly scheme: SignatureScheme }> = new Map([
  ['2.16.840.1.101.3.4.2.1', { salt: 32n, scheme: scheme('SHA256-RSAPSS', 'RSA', 'SHA-256', true) }],
  ['2.16.840.1.101.3.4.2.2', { salt: 48n, scheme: scheme('SHA384-RSAPSS', 'RSA', 'SHA-384', true) }],
  ['2.16.840.1.101.3.4.2.3', { salt: 64n, scheme: scheme('SHA512-RSAPSS', 'RSA', 'SHA-512', true) }],
]);

/** Reads the content of an AlgorithmIdentifier. Returns Go's message if it is malformed. */
export function readAlgorithmIdentifier(content: Uint8Array): AlgorithmIdentifier | string {
  const reader = new DerReader(content);
  const oid = reader.readOid();
  if (oid === undefined) return 'x509: malformed OID';
  if (reader.isEmpty) return { oid, parameters: undefined };
  const parameters = reader.readAny();
  return parameters === undefined ? 'x509: malformed parameters' : { oid, parameters: parameters.bytes };
}

/** Returns undefined for an algorithm that Go does not know. */
export function signatureSchemeOf({ oid, parameters }: AlgorithmIdentifier): SignatureScheme | undefined {
  if (oid === RSA_PSS) return pssSchemeOf(parameters);
  return oid === ED25519 && parameters !== undefined ? undefined : SCHEMES.get(oid);
}

/** Accepts the parameters of RFC 4055, 3.1 only if both hashes are equal and the salt is as long as the hash. */
function pssSchemeOf(parameters: Uint8Array | undefined): SignatureScheme | undefined {
  if (parameters === undefined) return undefined;
  const fields = new DerReader(parameters).enter(DER.sequence);
  const hash = hashOf(fields?.enter(contextTag(0, true)));
  const generator = fields?.enter(contextTag(1, true))?.enter(DER.sequence);
  const isMgf1 = generator?.readOid() === MGF1;
  const generatorHash = hashOf(generator);
  const salt = signedNumber(fields?.enter(contextTag(2, true))?.readInteger(), 8);
  if (hash === undefined || !isMgf1 || generatorHash !== hash || salt === undefined) return undefined;
  // The trailer field has one value. Go ignores further fields.
  if (fields?.peek(contextTag(3, true)) && signedNumber(fields.enter(contextTag(3, true))?.readInteger(), 8) !== 1n)
    return undefined;
  const known = PSS.get(hash);
  return known?.salt === salt ? known.scheme : undefined;
}

const NULL: Uint8Array = Uint8Array.of(DER.null, 0);

/** Reads the AlgorithmIdentifier of a hash, whose parameters are absent or NULL. */
function hashOf(reader: DerReader | undefined): string | undefined {
  const content = reader?.read(DER.sequence)?.content;
  const algorithm = content === undefined ? '' : readAlgorithmIdentifier(content);
  if (typeof algorithm === 'string') return undefined;
  return algorithm.parameters === undefined || equalBytes(algorithm.parameters, NULL) ? algorithm.oid : undefined;
}
