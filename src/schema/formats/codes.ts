/**
 * The formats of short codes: numbers with check digits, colours, UUIDs, hostnames, Kubernetes names. Every check is
 * linear in the text.
 */
import { utf8Length } from '../../base/utf8.ts';

const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$/;

/** A number in a known range with a valid Luhn check digit. Characters other than digits are ignored. */
export function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!CREDIT_CARD.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = digit * 2;
    sum += i % 2 === 0 ? digit : doubled >= 10 ? (doubled % 10) + 1 : doubled;
  }
  return sum % 10 === 0;
}

function compact(text: string): string {
  return text.replace(/[\t\n\f\r -]+/g, '');
}

export function isIsbn10(text: string): boolean {
  const code = compact(text);
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(code)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i++) sum += (i + 1) * (code[i] === 'X' ? 10 : Number(code[i]));
  return sum % 11 === 0;
}

export function isIsbn13(text: string): boolean {
  const code = compact(text);
  if (!/^[0-9]{13}$/.test(code)) return false;
  let sum = 0;
  for (let i = 0; i < 12; i++) sum += (i % 2 === 0 ? 1 : 3) * Number(code[i]);
  return Number(code[12]) === (10 - (sum % 10)) % 10;
}

export function isSsn(text: string): boolean {
  return text.length === 11 && /^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$/.test(text);
}

export function isHexColor(text: string): boolean {
  return /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text);
}

const CHANNEL = '[\\t\\n\\f\\r ]*(?:0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])[\\t\\n\\f\\r ]*';
const RGB = new RegExp(`^rgb\\(${CHANNEL},${CHANNEL},${CHANNEL}\\)$`);

export function isRgbColor(text: string): boolean {
  return RGB.test(text);
}

export function isBsonObjectId(text: string): boolean {
  return /^[0-9a-fA-F]{24}$/.test(text);
}

const UUID3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const UUID5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;

export function isUuid3(text: string): boolean {
  return UUID3.test(text);
}

export function isUuid4(text: string): boolean {
  return UUID4.test(text);
}

export function isUuid5(text: string): boolean {
  return UUID5.test(text);
}

/** The pattern is made on the first call: V8 takes milliseconds for its classes of Unicode. */
function looksLikeHostname(text: string): boolean {
  return /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u.test(
    text,
  );
}

/** Allows letters and symbols of any script. At most 255 bytes, and 63 bytes in each label. */
export function isHostname(text: string): boolean {
  if (text.length > 255 || utf8Length(text) > 255 || !looksLikeHostname(text)) return false;
  return text.split('.').every((part) => utf8Length(part) <= 63);
}

const SHORT_NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

export function isShortName(text: string): boolean {
  return text.length <= 63 && SHORT_NAME.test(text);
}

export function isLongName(text: string): boolean {
  return text.length <= 253 && text.split('.').every((part) => SHORT_NAME.test(part));
}
