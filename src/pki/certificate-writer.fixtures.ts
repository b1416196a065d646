/** Writes certificates and certificate requests for questions, valid and invalid ones, with keys of the process. */
import { constants, createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { encodeUtf8 } from '../base/bytes.ts';
import {
  contextTag,
  DER,
  writeBitString,
  writeDer,
  writeDerText,
  writeDerTime,
  writeOid,
  writeSequence,
  writeUnsigned,
} from './der.ts';

export type KeyType = 'P-256' | 'P-384' | 'P-521' | 'P-224' | 'RSA-2048' | 'RSA-1024' | 'RSA-512' | 'Ed25519';

export interface TestKey {
  readonly type: KeyType;
  readonly privateKey: KeyObject;
  readonly spki: Uint8Array;
}

const keys = new Map<string, TestKey>();

/** Returns key `number` of a type. Keys are made once per process. */
export function testKey(type: KeyType, number: number): TestKey {
  const name = `${type}/${number}`;
  let key = keys.get(name);
  if (key === undefined) {
    const { privateKey, publicKey } = generate(type);
    key = { type, privateKey, spki: new Uint8Array(publicKey.export({ type: 'spki', format: 'der' })) };
    keys.set(name, key);
  }
  return key;
}

function generate(type: KeyType): { privateKey: KeyObject; publicKey: KeyObject } {
  if (type === 'Ed25519') return generateKeyPairSync('ed25519');
  if (type.startsWith('RSA-')) return generateKeyPairSync('rsa', { modulusLength: Number(type.slice(4)) });
  return generateKeyPairSync('ec', { namedCurve: type === 'P-224' ? 'secp224r1' : type });
}

const PSS_HASHES: Readonly<Record<string, { readonly oid: string; readonly size: number }>> = {
  sha1: { oid: '1.3.14.3.2.26', size: 20 },
  sha256: { oid: '2.16.840.1.101.3.4.2.1', size: 32 },
  sha384: { oid: '2.16.840.1.101.3.4.2.2', size: 48 },
  sha512: { oid: '2.16.840.1.101.3.4.2.3', size: 64 },
};
const RSA_OIDS: Readonly<Record<string, string>> = {
  md5: '1.2.840.113549.1.1.4',
  sha1: '1.2.840.113549.1.1.5',
  sha256: '1.2.840.113549.1.1.11',
  sha384: '1.2.840.113549.1.1.12',
  sha512: '1.2.840.113549.1.1.13',
  sha224: '1.2.840.113549.1.1.14',
};
const ECDSA_OIDS: Readonly<Record<string, string>> = {
  sha1: '1.2.840.10045.4.1',
  sha224: '1.2.840.10045.4.3.1',
  sha256: '1.2.840.10045.4.3.2',
  sha384: '1.2.840.10045.4.3.3',
  sha512: '1.2.840.10045.4.3.4',
};

export interface SignatureOptions {
  /** OpenSSL's name; default sha256. Ed25519 has none. */
  readonly hash?: string;
  readonly isPss?: boolean;
  /** The salt of PSS. Default: as long as the hash. */
  readonly saltLength?: number;
  /** Changes a byte of the signature. */
  readonly isBroken?: boolean;
}

interface Signer {
  readonly algorithm: Uint8Array;
  sign(data: Uint8Array): Uint8Array;
}

function signerOf(key: TestKey, { hash = 'sha256', isPss = false, saltLength, isBroken }: SignatureOptions): Signer {
  const broken = (signature: Uint8Array): Uint8Array => {
    if (isBroken === true) signature[signature.length - 1]! ^= 1;
    return signature;
  };
  const { privateKey } = key;
  if (key.type === 'Ed25519')
    return {
      algorithm: writeSequence(writeOid('1.3.101.112')),
      sign: (data) => broken(new Uint8Array(sign(null, data, privateKey))),
    };
  if (!key.type.startsWith('RSA-'))
    return {
      algorithm: writeSequence(writeOid(ECDSA_OIDS[hash] ?? ECDSA_OIDS['sha256']!)),
      sign: (data) => broken(new Uint8Array(sign(hash === 'md5' ? 'sha256' : hash, data, privateKey))),
    };
  const nothing = writeDer(DER.null);
  if (!isPss)
    return {
      algorithm: writeSequence(writeOid(RSA_OIDS[hash]!), nothing),
      sign: (data) => broken(new Uint8Array(sign(hash, data, privateKey))),
    };
  const { oid, size } = PSS_HASHES[hash] ?? PSS_HASHES['sha256']!;
  const salt = saltLength ?? size;
  const identifier = writeSequence(writeOid(oid), nothing);
  const parameters = writeSequence(
    writeDer(contextTag(0, true), identifier),
    writeDer(contextTag(1, true), writeSequence(writeOid('1.2.840.113549.1.1.8'), identifier)),
    writeDer(contextTag(2, true), writeUnsigned(Uint8Array.of(salt))),
  );
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  return {
    algorithm: writeSequence(writeOid('1.2.840.113549.1.1.10'), parameters),
    sign: (data) =>
      broken(
        new Uint8Array(
          sign(PSS_HASHES[hash] === undefined ? 'sha256' : hash, data, { key: privateKey, padding, saltLength: salt }),
        ),
      ),
  };
}

export interface CertificateTemplate {
  readonly version: 1 | 2 | 3;
  readonly serial: Uint8Array;
  readonly subject: Uint8Array;
  readonly issuer: Uint8Array;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly key: TestKey;
  readonly signer: TestKey;
  readonly signature: SignatureOptions;
  /** See `extension`. */
  readonly extensions: readonly Uint8Array[];
}

export function writeCertificate(template: CertificateTemplate): Uint8Array {
  const signer = signerOf(template.signer, template.signature);
  const { version, extensions } = template;
  const signed = writeSequence(
    ...(version === 1 ? [] : [writeDer(contextTag(0, true), writeDer(DER.integer, Uint8Array.of(version - 1)))]),
    writeUnsigned(template.serial),
    signer.algorithm,
    template.issuer,
    writeSequence(writeDerTime(template.notBefore), writeDerTime(template.notAfter)),
    template.subject,
    template.key.spki,
    ...(extensions.length === 0 ? [] : [writeDer(contextTag(3, true), writeSequence(...extensions))]),
  );
  return writeSequence(signed, signer.algorithm, writeBitString(signer.sign(signed)));
}

export function writeRequest(subject: Uint8Array, key: TestKey, signature: SignatureOptions): Uint8Array {
  const signer = signerOf(key, signature);
  const version = writeDer(DER.integer, Uint8Array.of(0));
  const signed = writeSequence(version, subject, key.spki, writeDer(contextTag(0, true)));
  return writeSequence(signed, signer.algorithm, writeBitString(signer.sign(signed)));
}

export function name(commonName: string, organizations: readonly string[] = []): Uint8Array {
  const attribute = (oid: string, value: string): Uint8Array =>
    writeDer(DER.set, writeSequence(writeOid(oid), writeDerText(value)));
  return writeSequence(
    ...organizations.map((organization) => attribute('2.5.4.10', organization)),
    ...(commonName === '' ? [] : [attribute('2.5.4.3', commonName)]),
  );
}

export function extension(oid: string, value: Uint8Array, isCritical = false): Uint8Array {
  const flag = isCritical ? [writeDer(DER.boolean, Uint8Array.of(0xff))] : [];
  return writeSequence(writeOid(oid), ...flag, writeDer(DER.octetString, value));
}

export function basicConstraints(isCa: boolean, pathLength?: number): Uint8Array {
  return extension(
    '2.5.29.19',
    writeSequence(
      ...(isCa ? [writeDer(DER.boolean, Uint8Array.of(0xff))] : []),
      ...(pathLength === undefined ? [] : [writeUnsigned(Uint8Array.of(pathLength))]),
    ),
    true,
  );
}

/** `bits` in the order of RFC 5280: digitalSignature is 0, keyCertSign is 5. */
export function keyUsage(bits: readonly number[]): Uint8Array {
  let byte = 0;
  for (const bit of bits) byte |= 0x80 >> bit;
  let unused = 0;
  while (byte !== 0 && ((byte >> unused) & 1) === 0) unused++;
  return extension(
    '2.5.29.15',
    byte === 0 ? writeBitString(new Uint8Array()) : writeBitString(Uint8Array.of(byte), unused),
    true,
  );
}

export function extendedKeyUsage(usages: readonly string[]): Uint8Array {
  return extension('2.5.29.37', writeSequence(...usages.map(writeOid)));
}

export type GeneralName = readonly ['email' | 'dns' | 'uri' | 'other', string] | readonly ['ip', Uint8Array];

const NAME_TAGS = { other: 0, email: 1, dns: 2, uri: 6, ip: 7 } as const;

function generalName([type, value]: GeneralName): Uint8Array {
  const bytes = typeof value === 'string' ? encodeUtf8(value) : value;
  return writeDer(contextTag(NAME_TAGS[type], false), bytes);
}

export function alternativeNames(names: readonly GeneralName[], isCritical = false): Uint8Array {
  return extension('2.5.29.17', writeSequence(...names.map(generalName)), isCritical);
}

/** In a constraint, an `ip` is the address and the mask. */
export function nameConstraints(permitted: readonly GeneralName[], excluded: readonly GeneralName[]): Uint8Array {
  const subtrees = (number: number, names: readonly GeneralName[]): Uint8Array[] =>
    names.length === 0
      ? []
      : [writeDer(contextTag(number, true), ...names.map((one) => writeSequence(generalName(one))))];
  return extension('2.5.29.30', writeSequence(...subtrees(0, permitted), ...subtrees(1, excluded)), true);
}

export function keyIdentifier(key: TestKey): Uint8Array {
  return new Uint8Array(createHash('sha256').update(key.spki).digest().subarray(0, 20));
}

export function subjectKeyId(id: Uint8Array): Uint8Array {
  return extension('2.5.29.14', writeDer(DER.octetString, id));
}

export function authorityKeyId(id: Uint8Array): Uint8Array {
  return extension('2.5.29.35', writeSequence(writeDer(contextTag(0, false), id)));
}

export function policies(oids: readonly string[]): Uint8Array {
  return extension('2.5.29.32', writeSequence(...oids.map((oid) => writeSequence(writeOid(oid)))));
}

export function policyMappings(pairs: readonly (readonly [string, string])[]): Uint8Array {
  return extension(
    '2.5.29.33',
    writeSequence(...pairs.map(([from, to]) => writeSequence(writeOid(from), writeOid(to)))),
  );
}

export function policyConstraints(requireExplicit: number | undefined, inhibitMapping: number | undefined): Uint8Array {
  const count = (number: number, value: number | undefined): Uint8Array[] =>
    value === undefined ? [] : [writeDer(contextTag(number, false), Uint8Array.of(value))];
  return extension('2.5.29.36', writeSequence(...count(0, requireExplicit), ...count(1, inhibitMapping)), true);
}

export function inhibitAnyPolicy(skip: number): Uint8Array {
  return extension('2.5.29.54', writeUnsigned(Uint8Array.of(skip)), true);
}
