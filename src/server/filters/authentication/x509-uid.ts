/**
 * The UID in the subject of a client certificate, an attribute under Kubernetes' own OID. The listener does not read
 * it.
 *
 * The certificate was verified, so its DER is well-formed. A wrong length is an error nevertheless, and never a read
 * beyond the end.
 */
import { decodeUtf8 } from '../../../base/bytes.ts';

export type SubjectUid =
  | { readonly ok: true; readonly uid: string }
  /** The reference's message. */
  | { readonly ok: false; readonly message: string };

/** 1.3.6.1.4.1.57683.2 */
const UID_OID: readonly number[] = [0x2b, 0x06, 0x01, 0x04, 0x01, 0x83, 0xc2, 0x53, 0x02];

const SEQUENCE = 0x30;
const VERSION = 0xa0;
/** PrintableString, UTF8String, IA5String: the types that Go reads as text. */
const TEXTS: ReadonlySet<number> = new Set([0x13, 0x0c, 0x16]);

interface Element {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

/** Returns '' if the subject has no UID. Fails for more than one, for an empty one and for one that is not text. */
export function subjectUid(certificate: Uint8Array): SubjectUid {
  const values = uidElements(certificate);
  if (values === undefined) return { ok: false, message: 'unable to read the subject of the certificate' };
  const uids: string[] = [];
  for (const value of values) {
    if (!TEXTS.has(value.tag)) return { ok: false, message: 'unable to parse UID into a string' };
    uids.push(decodeUtf8(certificate.subarray(value.start, value.end)));
  }
  if (uids.length === 0) return { ok: true, uid: '' };
  if (uids.length > 1) return { ok: false, message: `expected 1 UID, but found multiple: [${uids.join(' ')}]` };
  const uid = uids[0] as string;
  return uid === '' ? { ok: false, message: 'UID cannot be an empty string' } : { ok: true, uid };
}

function uidElements(der: Uint8Array): Element[] | undefined {
  const certificate = elementAt(der, 0, der.length);
  const signed = certificate === undefined ? undefined : elementAt(der, certificate.start, certificate.end);
  if (signed === undefined) return undefined;
  const fields = childrenOf(der, signed);
  // [version] serial algorithm issuer validity subject
  const subject = fields?.[fields[0]?.tag === VERSION ? 5 : 4];
  if (subject?.tag !== SEQUENCE) return undefined;
  const found: Element[] = [];
  for (const relative of childrenOf(der, subject) ?? []) {
    for (const attribute of childrenOf(der, relative) ?? []) {
      const [type, value] = childrenOf(der, attribute) ?? [];
      if (type !== undefined && value !== undefined && isUid(der, type)) found.push(value);
    }
  }
  return found;
}

function isUid(der: Uint8Array, { start, end }: Element): boolean {
  return end - start === UID_OID.length && UID_OID.every((byte, i) => der[start + i] === byte);
}

function childrenOf(der: Uint8Array, parent: Element): Element[] | undefined {
  const children: Element[] = [];
  for (let at = parent.start; at < parent.end; ) {
    const child = elementAt(der, at, parent.end);
    if (child === undefined) return undefined;
    children.push(child);
    at = child.end;
  }
  return children;
}

function elementAt(der: Uint8Array, at: number, limit: number): Element | undefined {
  const tag = der[at];
  let length = der[at + 1];
  if (tag === undefined || length === undefined) return undefined;
  let start = at + 2;
  if (length >= 0x80) {
    const bytes = length - 0x80;
    if (bytes === 0 || bytes > 4) return undefined;
    length = 0;
    for (let i = 0; i < bytes; i++) length = length * 256 + (der[start++] ?? 0);
  }
  const end = start + length;
  return end <= limit ? { tag, start, end } : undefined;
}
