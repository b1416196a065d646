/**
 * The scanner of anchors, tags and directives. Each function leaves the cursor after its token or throws
 * YamlSyntaxError.
 */
import { decodeUtf8 } from '../../../base/bytes.ts';
import {
  hexValue,
  isBlank,
  isBlankOrEnd,
  isBreak,
  isBreakOrEnd,
  isDigit,
  isWordCharacter,
  type YamlCursor,
} from './yaml-cursor.ts';

export interface YamlTag {
  /** `!`, `!!` or `!name!`; '' for a verbatim tag and for a lone `!`. */
  readonly handle: string;
  readonly suffix: string;
}

export type YamlDirective =
  | { readonly kind: 'version'; readonly major: number; readonly minor: number }
  | { readonly kind: 'tag'; readonly handle: string; readonly prefix: string };

/** The name after `&` or `*`. */
export function scanAnchor(cursor: YamlCursor): string {
  cursor.position++;
  const name = scanWord(cursor);
  const c = cursor.code();
  if (name === '' || !(isBlankOrEnd(c) || '?:,]}%@`'.includes(String.fromCharCode(c))))
    cursor.fail('did not find expected alphabetic or numeric character');
  return name;
}

function scanWord(cursor: YamlCursor): string {
  const start = cursor.position;
  while (isWordCharacter(cursor.code())) cursor.position++;
  return cursor.text.slice(start, cursor.position);
}

export function scanTag(cursor: YamlCursor): YamlTag {
  const tag = cursor.code(1) === 0x3c ? scanVerbatim(cursor) : scanShort(cursor);
  if (!isBlankOrEnd(cursor.code())) cursor.fail('did not find expected whitespace or line break');
  return tag;
}

function scanVerbatim(cursor: YamlCursor): YamlTag {
  cursor.position += 2;
  const suffix = scanUri(cursor, '');
  if (cursor.code() !== 0x3e) cursor.fail("did not find the expected '>'");
  cursor.position++;
  return { handle: '', suffix };
}

function scanShort(cursor: YamlCursor): YamlTag {
  const handle = scanHandle(cursor);
  if (handle.length > 1 && handle.endsWith('!')) return { handle, suffix: scanUri(cursor, '') };
  const suffix = scanUri(cursor, handle);
  return suffix === '' ? { handle: '', suffix: '!' } : { handle: '!', suffix };
}

function scanHandle(cursor: YamlCursor): string {
  if (cursor.code() !== 0x21) cursor.fail("did not find expected '!'");
  cursor.position++;
  const word = scanWord(cursor);
  if (cursor.code() !== 0x21) return `!${word}`;
  cursor.position++;
  return `!${word}!`;
}

const URI_CHARACTERS = ";/?:@&=+$,.!~*'()[]";

/** `head` is a handle that turned out to begin the URI. */
function scanUri(cursor: YamlCursor, head: string): string {
  let uri = head.slice(1);
  const first = cursor.position;
  for (;;) {
    const c = cursor.code();
    if (c === 0x25) uri += scanUriEscape(cursor);
    else if (isWordCharacter(c) || (c !== 0 && URI_CHARACTERS.includes(String.fromCharCode(c)))) {
      uri += cursor.text[cursor.position++];
    } else break;
  }
  if (head === '' && cursor.position === first) cursor.fail('did not find expected tag URI');
  return uri;
}

/** One character as escaped octets. */
function scanUriEscape(cursor: YamlCursor): string {
  const octets: number[] = [];
  let width = 1;
  while (octets.length < width) {
    const high = hexValue(cursor.code(1));
    const low = hexValue(cursor.code(2));
    if (cursor.code() !== 0x25 || high < 0 || low < 0) cursor.fail('did not find URI escaped octet');
    const octet = high * 16 + low;
    if (octets.length === 0) {
      width = octet < 0x80 ? 1 : octet >> 5 === 6 ? 2 : octet >> 4 === 14 ? 3 : octet >> 3 === 30 ? 4 : 0;
      if (width === 0) cursor.fail('found an incorrect leading UTF-8 octet');
    } else if (octet >> 6 !== 2) cursor.fail('found an incorrect trailing UTF-8 octet');
    octets.push(octet);
    cursor.position += 3;
  }
  return decodeUtf8(new Uint8Array(octets));
}

/** A whole line that begins with `%`. */
export function scanDirective(cursor: YamlCursor): YamlDirective {
  cursor.position++;
  const name = scanWord(cursor);
  if (name === '') cursor.fail('could not find expected directive name');
  if (!isBlankOrEnd(cursor.code())) cursor.fail('found unexpected non-alphabetical character');
  if (name !== 'YAML' && name !== 'TAG') cursor.fail('found unknown directive name');
  cursor.passBlanks();
  const directive = name === 'YAML' ? scanVersion(cursor) : scanTagDirective(cursor);
  cursor.passBlanks();
  cursor.passComment();
  if (!isBreakOrEnd(cursor.code())) cursor.fail('did not find expected comment or line break');
  if (isBreak(cursor.code())) cursor.passBreak();
  return directive;
}

function scanVersion(cursor: YamlCursor): YamlDirective {
  const major = scanVersionNumber(cursor);
  if (cursor.code() !== 0x2e) cursor.fail("did not find expected digit or '.' character");
  cursor.position++;
  return { kind: 'version', major, minor: scanVersionNumber(cursor) };
}

function scanVersionNumber(cursor: YamlCursor): number {
  const start = cursor.position;
  while (isDigit(cursor.code())) {
    if (cursor.position - start === 2) cursor.fail('found extremely long version number');
    cursor.position++;
  }
  if (cursor.position === start) cursor.fail('did not find expected version number');
  return Number(cursor.text.slice(start, cursor.position));
}

function scanTagDirective(cursor: YamlCursor): YamlDirective {
  const handle = scanHandle(cursor);
  if (handle !== '!' && !handle.endsWith('!')) cursor.fail("did not find expected '!'");
  if (!isBlank(cursor.code())) cursor.fail('did not find expected whitespace');
  cursor.passBlanks();
  const prefix = scanUri(cursor, '');
  if (!isBlankOrEnd(cursor.code())) cursor.fail('did not find expected whitespace or line break');
  return { kind: 'tag', handle, prefix };
}
