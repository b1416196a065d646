/**
 * Distinguished names: the subject and the issuer of a certificate (RFC 5280, 4.1.2.4). Every attribute must be a
 * string of a known type, also those that are not used.
 */
import { decodeUtf8Strict } from '../../base/bytes.ts';
import { DER } from '../der.ts';
import { CertificateFault, need } from './certificate-fault.ts';
import { DerReader } from './der-reader.ts';

export interface DistinguishedName {
  /** The last CN, as in Go; empty if there is none. */
  readonly commonName: string;
  /** The O values in their order. */
  readonly organizations: readonly string[];
}

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const INVALID = 'x509: invalid RDNSequence';
const NUMERIC_STRING = 0x12;

/** Parses a name with its tag. Throws CertificateFault. */
export function parseDistinguishedName(name: Uint8Array): DistinguishedName {
  const sets = need(new DerReader(name).enter(DER.sequence), INVALID);
  let commonName = '';
  const organizations: string[] = [];
  while (!sets.isEmpty) {
    const set = need(sets.enter(DER.set), INVALID);
    while (!set.isEmpty) {
      const attribute = need(set.enter(DER.sequence), `${INVALID}: invalid attribute`);
      const oid = need(attribute.readOid(), `${INVALID}: invalid attribute type`);
      const value = need(attribute.readAny(), `${INVALID}: invalid attribute value`);
      const text = parseText(value.tag, value.content);
      if (oid === COMMON_NAME) commonName = text;
      else if (oid === ORGANIZATION) organizations.push(text);
    }
  }
  return { commonName, organizations };
}

function parseText(tag: number, content: Uint8Array): string {
  const text = decodeText(tag, content);
  if (typeof text === 'string') return text;
  throw new CertificateFault(`${INVALID}: invalid attribute value: ${text.problem}`);
}

function decodeText(tag: number, content: Uint8Array): string | { readonly problem: string } {
  switch (tag) {
    case DER.teletexString:
      // T.61 is read as Latin-1, as most software does.
      return latin1(content);
    case DER.printableString:
      // `*` and `&` are not allowed, but occur in practice.
      return matching(latin1(content), /^[A-Za-z0-9 '()+,\-./:=?*&]*$/, 'invalid PrintableString');
    case DER.utf8String:
      return decodeUtf8Strict(content) ?? { problem: 'invalid UTF-8 string' };
    case DER.bmpString:
      return decodeBmp(content) ?? { problem: 'invalid BMPString' };
    case DER.ia5String:
      return matching(latin1(content), /^[\0-\x7f]*$/, 'invalid IA5String');
    case NUMERIC_STRING:
      return matching(latin1(content), /^[0-9 ]*$/, 'invalid NumericString');
    default:
      return { problem: `unsupported string type: ${tag}` };
  }
}

function matching(text: string, pattern: RegExp, problem: string): string | { readonly problem: string } {
  return pattern.test(text) ? text : { problem };
}

/** The number of arguments of one call. */
const CHUNK = 4096;

/** Decodes one character per byte. */
export function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return text;
}

/** Decodes UCS-2 without surrogates and noncharacters. A NUL at the end is dropped. */
function decodeBmp(content: Uint8Array): string | undefined {
  if (content.length % 2 !== 0) return undefined;
  let text = '';
  for (let i = 0; i < content.length; i += 2) {
    const unit = ((content[i] as number) << 8) | (content[i + 1] as number);
    if (unit === 0 && i === content.length - 2) break;
    if (unit >= 0xfffe || (unit >= 0xfdd0 && unit <= 0xfdef) || (unit >= 0xd800 && unit <= 0xdfff)) return undefined;
    text += String.fromCharCode(unit);
  }
  return text;
}
