/**
 * What a kind asks of its objects' names, and how a name is made from generateName. Invariant: if a rule accepts a prefix, it accepts the
 * generated name too, unless the prefix ends in characters that masking hides (as in the reference).
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

/** What is wrong with a name, or, if `prefix`, with a generateName to which characters will be appended. */
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

/** The widest rule: anything that can stand in a URL path, such as `system:node` of RBAC. */
export function nameIsPathSegment(name: string, prefix: boolean): Complaints {
  return prefix ? checkPathSegmentPrefix(name) : checkPathSegmentName(name);
}

/**
 * A prefix that ends in a dash is judged as if it ended in a letter. The reference replaces the last two bytes by one letter; where that
 * would cut a character in two, what remains is invalid all the same and as long.
 */
function maskTrailingDash(name: string): string {
  if (name.length < 2 || !name.endsWith('-')) return name;
  return name.charCodeAt(name.length - 2) < 0x80 ? `${name.slice(0, -2)}a` : name.slice(0, -1);
}

/** Vowels and look-alikes are left out, so that no word appears by chance. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const RANDOM_LENGTH = 5;
/** The longest part of a generateName that is kept, in bytes: with the random part the name has 63. */
const GENERATED_PREFIX_MAX: number = 63 - RANDOM_LENGTH;

/**
 * A name from a generateName: the prefix, cut to 58 bytes, and five random characters. `random` gives an integer from 0 up to but not
 * including its argument. Names may collide: the caller tries again.
 */
export function generateName(prefix: string, random: (below: number) => number): string {
  let name = cutToBytes(prefix, GENERATED_PREFIX_MAX);
  for (let i = 0; i < RANDOM_LENGTH; i++) name += ALPHABET[random(ALPHABET.length)];
  return name;
}

/** The longest beginning of whole characters within `max` bytes. */
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
