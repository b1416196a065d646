/**
 * The registry of string formats. Names are compared without dashes, as in kube-apiserver. Every check is linear in the
 * text.
 */

import { parseRequestUri } from '../../apimachinery/go/go-url.ts';
import { isBase64, isDate, isDateTime, isUuid } from '../../apimachinery/validation/text-formats.ts';
import { isCidr, isIpv4, isIpv6, isMac } from './addresses.ts';
import {
  isBsonObjectId,
  isCreditCard,
  isHexColor,
  isHostname,
  isIsbn10,
  isIsbn13,
  isLongName,
  isRgbColor,
  isShortName,
  isSsn,
  isUuid3,
  isUuid4,
  isUuid5,
} from './codes.ts';
import { isEmail } from './email.ts';
import { isDuration } from './times.ts';

export type FormatCheck = (text: string) => boolean;

const CHECKS: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', isBsonObjectId],
  ['uri', (text) => parseRequestUri(text).ok],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', isUuid],
  ['uuid3', isUuid3],
  ['uuid4', isUuid4],
  ['uuid5', isUuid5],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', isSsn],
  ['hexcolor', isHexColor],
  ['rgbcolor', isRgbColor],
  ['byte', isBase64],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', isShortName],
  ['k8slongname', isLongName],
]);

/** The check of a string format; undefined if the name is unknown, which means that every string is valid. */
export function formatCheck(name: string): FormatCheck | undefined {
  return CHECKS.get(name) ?? CHECKS.get(name.replaceAll('-', ''));
}

/** True if values of this type are checked for this format. The empty type means any type, or int-or-string. */
export function isKnownFormat(type: string, format: string): boolean {
  switch (type) {
    case '':
    case 'string':
      return formatCheck(format) !== undefined;
    case 'integer':
      return format === 'int32' || format === 'int64';
    case 'number':
      return format === 'float' || format === 'double';
    default:
      return false;
  }
}
