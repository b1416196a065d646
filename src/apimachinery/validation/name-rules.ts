/**
 * The name rules of kinds, and the generation of names from generateName. Invariant: if a rule accepts a prefix, it
 * accepts the generated name too, unless masking hides the last characters of the prefix, as in the reference.
 */
import { utf8Length } from '../../base/utf8.ts';
import {
  type Complaints,
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
  checkPathSegmentPrefix,
} from './name-syntax.ts';

/** Returns the problems of a name or, if `prefix`, of a generateName, to which characters will be appended. */
export type NameRule = (name: string, prefix: boolean) => Complaints;

export function nameIsDnsSubdomain(name: string, prefix: boolean): Complaints {
  return checkDns1123Subdomain(prefix ? maskTrailingDash(name) : name);
}

export function nameIsDnsLabel(name: string, prefix: boolean): Complaints {
  return checkDns1123Label(prefix ? maskTrailingDash(name) : name);
}

export function nameIsDns1035Label(name: string, prefix: boolean): Complaints {
  return checkDns1035Label(prefix ? maskTrailingDash(name) : name);
}

/** The widest rule: any name that can be a segment of a URL path, such as RBAC's `system:node`. */
export function nameIsPathSegment(name: string, prefix: boolean): Complaints {
  return prefix ? checkPathSegmentPrefix(name) : checkPathSegmentName(name);
}

/**
 * Replaces a trailing dash of a prefix by a letter. The reference replaces the last two bytes by one letter. If that
 * splits a character, the rest is still invalid and has the same length.
 */
function maskTrailingDash(name: string): string {
  if (name.length < 2 || !name.endsWith('-')) return name;
  return name.charCodeAt(name.length - 2) < 0x80 ? `${name.slice(0, -2)}a` : name.slice(0, -1);
}

/** Without vowels and similar characters, so that no words appear by chance. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const RANDOM_LENGTH = 5;
/** The longest part of a generateName that is kept, in bytes. A generated name has at most 63. */
const GENERATED_PREFIX_MAX: number = 63 - RANDOM_LENGTH;

/**
 * Generates a name: the prefix, cut to 58 bytes, and five random characters. `random` returns an integer from 0 to
 * below its argument. Names may collide; the caller must retry.
 */
export function generateName(prefix: string, random: (below: number) => number): string {
  let name = cutToBytes(prefix, GENERATED_PREFIX_MAX);
  for (let i = 0; i < RANDOM_LENGTH; i++) name += ALPHABET[random(ALPHABET.length)];
  return name;
}

/** The longest prefix of whole characters within `max` bytes. */
function cutToBytes(text: string, max: number): string {
  let bytes = 0;
  let end = 0;
  for (const char of text) {
    bytes += utf8Length(char);
    if (bytes > max) return text.slice(0, end);
    end += char.length;
  }
  return text;
}
