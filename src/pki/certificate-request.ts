/**
 * Certificate requests (PKCS #10, RFC 2986): the subject, its public key, and the proof that the requester holds the
 * private key. Parsing is synchronous because validation is; only signature checks are asynchronous. Error texts are
 * Go's where Go has one.
 */
import { OID } from './certificate.ts';
import { DER, type DerElement, readBitString, readDerChildren, readDerSequence, readDerText, readOid } from './der.ts';
import { parsePem } from './pem.ts';
import { rawEcdsaSignature, requestSignatureProblem } from './verify-signature.ts';
import { type AlternativeNames, parseAlternativeNames } from './x509/alternative-names.ts';
import { CertificateFault } from './x509/certificate-fault.ts';
import type { SignatureKey, SignedBytes } from './x509/check-signature.ts';
import { type PublicKeyDetails, parsePublicKey } from './x509/public-key.ts';
import { readAlgorithmIdentifier, signatureSchemeOf } from './x509/signature-scheme.ts';

export interface CertificateRequest extends SignedBytes, SignatureKey {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

export type ParsedRequest =
  | { readonly ok: true; readonly request: CertificateRequest }
  | { readonly ok: false; readonly problem: string };

const MALFORMED: ParsedRequest = { ok: false, problem: 'asn1: structure error: malformed certificate request' };

/** Parses the first block of a PEM text, which must be a certificate request. */
export function parseCertificateRequestPem(text: string): ParsedRequest {
  const [block] = parsePem(text);
  if (block === undefined || block.type !== 'CERTIFICATE REQUEST')
    return { ok: false, problem: 'PEM block type must be CERTIFICATE REQUEST' };
  return parseCertificateRequest(block.bytes);
}

/** Parses a request in DER. Does not verify the signature. */
export function parseCertificateRequest(der: Uint8Array): ParsedRequest {
  const [signed, algorithm, signatureBits, ...more] = readDerSequence(der) ?? [];
  const identifier = algorithm?.tag === DER.sequence ? readAlgorithmIdentifier(algorithm.content) : '';
  const signature = readBitString(signatureBits);
  if (signed?.tag !== DER.sequence || typeof identifier === 'string' || signature === undefined || more.length > 0)
    return MALFORMED;
  const [version, subject, key] = readDerChildren(signed.content) ?? [];
  if (version?.tag !== DER.integer || key?.tag !== DER.sequence) return MALFORMED;
  const publicKey = readPublicKey(key.bytes);
  if (typeof publicKey === 'string') return { ok: false, problem: publicKey };
  const names = readName(subject);
  if (names === undefined) return MALFORMED;
  return {
    ok: true,
    request: {
      signedBytes: signed.bytes,
      signatureScheme: signatureSchemeOf(identifier),
      signature,
      ...names,
      spki: key.bytes,
      ...publicKey,
    },
  };
}

/** Returns Go's message for a malformed key. */
function readPublicKey(spki: Uint8Array): { readonly publicKey: PublicKeyDetails | undefined } | string {
  try {
    return { publicKey: parsePublicKey(spki) };
  } catch (caught) {
    if (caught instanceof CertificateFault) return caught.message;
    throw caught;
  }
}

/** Reads common name and organizations of a subject; undefined if it is malformed. */
function readName(
  name: DerElement | undefined,
): { readonly commonName: string; readonly organizations: string[] } | undefined {
  const sets = name?.tag === DER.sequence ? readDerChildren(name.content) : undefined;
  if (sets === undefined) return undefined;
  let commonName = '';
  const organizations: string[] = [];
  for (const set of sets) {
    const pairs = set.tag === DER.set ? readDerChildren(set.content) : undefined;
    if (pairs === undefined) return undefined;
    for (const pair of pairs) {
      const [type, value] = readDerSequence(pair.bytes) ?? [];
      const oid = readOid(type);
      if (oid === undefined) return undefined;
      if (oid !== OID.commonName && oid !== OID.organization) continue;
      const text = readDerText(value);
      if (text === undefined) return undefined;
      if (oid === OID.commonName) commonName = text;
      else organizations.push(text);
    }
  }
  return { commonName, organizations };
}

/** The parts of a request that its certificate repeats. */
export interface RequestedSubject {
  /** The distinguished name, DER. */
  readonly subject: Uint8Array;
  /** Undefined if the request asks for none. */
  readonly alternativeNames: AlternativeNames | undefined;
}

/** Reads the subject of a request that was parsed. Throws CertificateFault for malformed names. */
export function requestedSubject({ signedBytes }: CertificateRequest): RequestedSubject {
  const [, subject, , attributes] = readDerSequence(signedBytes) ?? [];
  const names = attributes === undefined ? undefined : requestedExtension(attributes, OID.subjectAltName);
  return {
    subject: subject?.bytes ?? new Uint8Array(),
    alternativeNames: names === undefined ? undefined : parseAlternativeNames(names),
  };
}

/** Returns the value of an extension that the attributes of a request ask for (RFC 2985, 5.4.2). */
function requestedExtension(attributes: DerElement, wanted: string): Uint8Array | undefined {
  for (const attribute of readDerChildren(attributes.content) ?? []) {
    const [type, values] = readDerChildren(attribute.content) ?? [];
    if (readOid(type) !== OID.extensionRequest || values?.tag !== DER.set) continue;
    for (const list of readDerChildren(values.content) ?? [])
      for (const extension of readDerChildren(list.content) ?? []) {
        const parts = readDerChildren(extension.content) ?? [];
        const value = parts.at(-1);
        if (readOid(parts[0]) === wanted && value?.tag === DER.octetString) return value.content;
      }
  }
  return undefined;
}

/** Checks that the request was signed with its own key. Returns undefined if it was, otherwise Go's error text. */
export function certificateRequestProblem(request: CertificateRequest): Promise<string | undefined> {
  return requestSignatureProblem(request, request);
}

/** Type and size of a public key, as PodCertificateRequest validation needs them. */
export interface KeyFacts {
  readonly type: 'rsa' | 'ec' | 'ed25519' | 'other';
  /** Size of an RSA modulus, rounded up to whole bytes; 0 for other keys. */
  readonly bits: number;
  /** Object identifier of an EC key's curve; empty for other keys. */
  readonly curve: string;
}

const KEY_TYPES: Readonly<Record<string, KeyFacts['type']>> = {
  '1.2.840.113549.1.1.1': 'rsa',
  '1.2.840.10045.2.1': 'ec',
  '1.3.101.112': 'ed25519',
};

/** Reads type and size of a key in SubjectPublicKeyInfo; undefined if it is malformed. */
export function keyFacts(spki: Uint8Array): KeyFacts | undefined {
  const [algorithm, bits] = readDerSequence(spki) ?? [];
  const [oid, parameters] = algorithm?.tag === DER.sequence ? (readDerChildren(algorithm.content) ?? []) : [];
  const key = readBitString(bits);
  const id = readOid(oid);
  if (id === undefined || key === undefined) return undefined;
  const type = KEY_TYPES[id] ?? 'other';
  const modulus = type === 'rsa' ? readDerSequence(key)?.[0]?.content : undefined;
  if (type === 'rsa' && modulus === undefined) return undefined;
  const bytes = modulus === undefined ? 0 : modulus[0] === 0 ? modulus.length - 1 : modulus.length;
  return { type, bits: bytes * 8, curve: readOid(parameters) ?? '' };
}

/**
 * Checks a proof of possession: a signature over `text` by the private key that belongs to `spki`. The hash is SHA-256;
 * RSA uses PSS with a salt of the hash's length.
 */
export async function provesPossession(spki: Uint8Array, text: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  const facts = keyFacts(spki);
  const curve = CURVES[facts?.curve ?? ''];
  const [name, given] =
    facts?.type === 'rsa'
      ? ['RSA-PSS', signature]
      : facts?.type === 'ec' && curve !== undefined
        ? ['ECDSA', rawEcdsaSignature(signature, curve.half)]
        : ['Ed25519', signature];
  if (given === undefined) return false;
  const params = { name: name as string, hash: 'SHA-256', namedCurve: curve?.name ?? '', saltLength: 32 };
  const key = await subtle.importKey('spki', Uint8Array.from(spki), params, false, ['verify']).catch(() => undefined);
  if (key === undefined) return false;
  return subtle.verify(params, key, Uint8Array.from(given as Uint8Array), Uint8Array.from(text));
}

/** The accepted curves by object identifier. `half` is the length in bytes of each of a signature's two integers. */
export const CURVES: Readonly<Record<string, { readonly name: string; readonly half: number }>> = {
  '1.2.840.10045.3.1.7': { name: 'P-256', half: 32 },
  '1.3.132.0.34': { name: 'P-384', half: 48 },
  '1.3.132.0.35': { name: 'P-521', half: 66 },
};
