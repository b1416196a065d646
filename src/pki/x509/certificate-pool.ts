/** A set of certificates that is searched for the issuers of others, like Go's CertPool. */
import { equalBytes } from '../../base/bytes.ts';
import { type Certificate, parseCertificate } from '../certificate.ts';
import { contextTag, DER } from '../der.ts';
import { parsePem } from '../pem.ts';
import { DerReader } from './der-reader.ts';
import { latin1 } from './distinguished-name.ts';

/** A certificate, which is parsed when it is found. */
interface Entry {
  readonly der: Uint8Array;
  /** Undefined until it is parsed, and then if it is malformed. */
  certificate: Certificate | undefined;
  isParsed: boolean;
}

export class CertificatePool {
  readonly #bySubject = new Map<string, Entry[]>();

  constructor(certificates: Iterable<Certificate>) {
    for (const certificate of certificates)
      this.#add(certificate.subjectBytes, { der: certificate.der, certificate, isParsed: true });
  }

  /**
   * Returns the pool of the certificates of PEM texts. Ignores malformed ones. Each is parsed when it is needed,
   * because a system has hundreds.
   */
  static ofPem(texts: Iterable<string>): CertificatePool {
    const pool = new CertificatePool([]);
    for (const text of texts) {
      for (const der of certificateBlocks(text)) {
        const subject = subjectOf(der);
        if (subject !== undefined) pool.#add(subject, { der, certificate: undefined, isParsed: false });
      }
    }
    return pool;
  }

  has(certificate: Certificate): boolean {
    return this.#holds(certificate.subjectBytes, certificate.der);
  }

  /**
   * Returns the certificates whose subject is the issuer of this one, the most plausible first: equal key identifiers,
   * then one of the two missing, then different ones. Key identifiers exclude no certificate.
   */
  issuersOf(certificate: Certificate): readonly Certificate[] {
    const wanted = certificate.extensions.authorityKeyId ?? NO_BYTES;
    const ranks: Certificate[][] = [[], [], []];
    for (const entry of this.#bySubject.get(latin1(certificate.issuerBytes)) ?? []) {
      const candidate = parsed(entry);
      if (candidate === undefined) continue;
      const given = candidate.extensions.subjectKeyId ?? NO_BYTES;
      const rank = equalBytes(given, wanted) ? 0 : (given.length === 0) !== (wanted.length === 0) ? 1 : 2;
      (ranks[rank] as Certificate[]).push(candidate);
    }
    return ranks.flat();
  }

  /** All certificates, in no particular order. */
  certificates(): Certificate[] {
    return [...this.#bySubject.values()].flat().flatMap((entry) => parsed(entry) ?? []);
  }

  #holds(subject: Uint8Array, der: Uint8Array): boolean {
    const entries = this.#bySubject.get(latin1(subject)) ?? [];
    return entries.some((entry) => equalBytes(entry.der, der) && parsed(entry) !== undefined);
  }

  #add(subject: Uint8Array, entry: Entry): void {
    const key = latin1(subject);
    const before = this.#bySubject.get(key);
    if (before === undefined) this.#bySubject.set(key, [entry]);
    else if (!before.some(({ der }) => equalBytes(der, entry.der))) before.push(entry);
  }
}

const NO_BYTES: Uint8Array = new Uint8Array();

function parsed(entry: Entry): Certificate | undefined {
  if (!entry.isParsed) {
    entry.certificate = parseCertificate(entry.der);
    entry.isParsed = true;
  }
  return entry.certificate;
}

/** Returns the subject without parsing the rest; undefined if the certificate is malformed up to there. */
function subjectOf(der: Uint8Array): Uint8Array | undefined {
  const fields = new DerReader(der).enter(DER.sequence)?.enter(DER.sequence);
  if (fields?.peek(contextTag(0, true))) fields.readAny();
  // Serial number, signature algorithm, issuer, validity.
  for (let i = 0; i < 4; i++) fields?.readAny();
  return fields?.read(DER.sequence)?.bytes;
}

/** Returns the certificates of a PEM text in DER. Ignores blocks with headers, as Go's pools do. */
function certificateBlocks(text: string): Uint8Array[] {
  return parsePem(text).flatMap(({ type, bytes, hasHeaders }) =>
    type === 'CERTIFICATE' && hasHeaders !== true ? [bytes] : [],
  );
}

/** Parses the certificates of a PEM text. Ignores malformed ones. */
export function readPemCertificates(text: string): Certificate[] {
  return certificateBlocks(text).flatMap((der) => parseCertificate(der) ?? []);
}
