/** The formats of network addresses: ipv4, ipv6, cidr, mac. Every check is linear in the text. */

const MASK = /^[0-9]+$/;

/**
 * The version of an IP address; undefined for other texts. `sloppy`: allows leading zeros in numbers, as Go before 1.17
 * did.
 */
export function ipVersion(text: string, sloppy: boolean): 4 | 6 | undefined {
  const first = /[.:]/.exec(text)?.[0];
  if (first === '.') return isDotted(text, sloppy) ? 4 : undefined;
  return first === ':' && isColons(text, sloppy) ? 6 : undefined;
}

function isDotted(text: string, sloppy: boolean): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => isOctet(part, sloppy));
}

function isOctet(text: string, sloppy: boolean): boolean {
  if (!MASK.test(text) || (!sloppy && text.length > 1 && text.startsWith('0'))) return false;
  return text.replace(/^0+/, '').length <= 3 && Number(text) <= 255;
}

function isColons(text: string, sloppy: boolean): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const [head = '', tail] = halves;
  const groups = (half: string): string[] => (half === '' ? [] : half.split(':'));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const all = [...before, ...after];
  let size = 0;
  for (const [i, group] of all.entries()) {
    const isLast = i === all.length - 1 && (tail === undefined || tail !== '');
    if (isLast && group.includes('.')) {
      if (!isDotted(group, sloppy)) return false;
      size += 4;
    } else if (isGroup(group, sloppy)) size += 2;
    else return false;
  }
  return tail === undefined ? size === 16 : size < 16;
}

function isGroup(text: string, sloppy: boolean): boolean {
  if (!/^[0-9a-fA-F]+$/.test(text)) return false;
  return sloppy ? text.replace(/^0+/, '').length <= 4 : text.length <= 4;
}

export function isIpv4(text: string): boolean {
  return text.includes('.') && ipVersion(text, true) !== undefined;
}

export function isIpv6(text: string): boolean {
  return text.includes(':') && ipVersion(text, false) !== undefined;
}

export function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) return false;
  const [address, mask] = [text.slice(0, slash), text.slice(slash + 1)];
  // An address without a dot is parsed as IPv6, one without a colon as IPv4.
  const version = ipVersion(address, true);
  if (version === undefined || !MASK.test(mask) || mask.replace(/^0+/, '').length > 3) return false;
  return Number(mask) <= (version === 4 ? 32 : 128);
}

const OCTETS: ReadonlySet<number> = new Set([6, 8, 20]);

/**
 * Six, eight or twenty octets, written as `00:00:5e:00:53:01`, with dashes, as `0000.5e00.5301`, or as digits alone.
 */
export function isMac(text: string): boolean {
  const digits = text.replace(/[:.-]/g, '');
  if (!/^[0-9a-fA-F]*$/.test(digits) || digits.length % 2 !== 0 || !OCTETS.has(digits.length / 2)) return false;
  const separator = text[2];
  if (separator === ':' || separator === '-') return isGrouped(text, separator, 2);
  return text[4] === '.' ? isGrouped(text, '.', 4) : text === digits;
}

function isGrouped(text: string, separator: string, size: number): boolean {
  return text.split(separator).every((group) => group.length === size && /^[0-9a-fA-F]+$/.test(group));
}
