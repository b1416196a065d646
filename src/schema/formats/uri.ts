/** URIs as a request line may hold them, as Go's `url.ParseRequestURI` takes them. Invariant: pure and linear in the text. */
import { utf8Length } from '../../base/utf8.ts';
import { ipVersion } from './addresses.ts';

const CONTROL = /[\u0000-\u001f\u007f]/;
const SCHEME = /^[a-zA-Z][a-zA-Z0-9+.-]*:/;
const USER_INFO = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;
const PORT = /^(?::[0-9]*)?$/;
const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/;
/** In a host only bytes beyond ASCII and the percent sign may be escaped. */
const BAD_HOST_ESCAPE = /%(?!25|[89a-fA-F][0-9a-fA-F])/;
const HOST = /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%]|[^\u0000-\u007f])*$/;

export function isRequestUri(text: string): boolean {
  if (text === '' || CONTROL.test(text)) return false;
  if (text === '*') return true;
  const scheme = SCHEME.exec(text)?.[0] ?? '';
  if (text.startsWith(':')) return false;
  let rest = text.slice(scheme.length);
  const query = rest.indexOf('?');
  if (query >= 0) rest = rest.slice(0, query);
  if (!rest.startsWith('/')) return scheme !== '';
  if (scheme !== '' && rest.startsWith('//')) {
    const slash = rest.indexOf('/', 2);
    const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
    if (!isAuthority(authority, scheme.slice(0, -1).toLowerCase())) return false;
    rest = slash < 0 ? '' : rest.slice(slash);
  }
  return !BAD_ESCAPE.test(rest);
}

function isAuthority(text: string, scheme: string): boolean {
  const at = text.lastIndexOf('@');
  if (!isHost(text.slice(at + 1), scheme)) return false;
  const user = at < 0 ? '' : text.slice(0, at);
  return USER_INFO.test(user) && !BAD_ESCAPE.test(user);
}

function isHost(text: string, scheme: string): boolean {
  const open = text.lastIndexOf('[');
  if (open > 0) return false;
  if (open === 0) return isLiteral(text);
  const first = text.indexOf(':');
  const strict = scheme === 'http' || scheme === 'https';
  const colon = strict ? first : text.lastIndexOf(':');
  if (first >= 0 && !PORT.test(text.slice(colon))) return false;
  return isHostText(text);
}

function isHostText(text: string): boolean {
  return HOST.test(text) && !BAD_HOST_ESCAPE.test(text);
}

/** An IPv6 address in brackets, with a zone after `%25`. */
function isLiteral(text: string): boolean {
  const close = text.lastIndexOf(']');
  if (close < 0 || !PORT.test(text.slice(close + 1))) return false;
  const inside = text.slice(1, close);
  const zoneAt = inside.indexOf('%25');
  const address = zoneAt < 0 ? inside : inside.slice(0, zoneAt);
  if (!isHostText(address)) return false;
  if (zoneAt >= 0 && !isZone(inside.slice(zoneAt + 3))) return false;
  return ipVersion(address, false) === 6;
}

function isZone(text: string): boolean {
  if (text === '' || BAD_ESCAPE.test(text)) return false;
  const escapes = text.match(/%../g) ?? [];
  const plain = text.replace(/%../g, '');
  return isHostText(plain) && escapes.every((each) => each === '%25' || isZoneByte(Number.parseInt(each.slice(1), 16)));
}

function isZoneByte(byte: number): boolean {
  const char = String.fromCharCode(byte);
  return byte === 0x20 || (byte < 0x80 && char !== '%' && HOST.test(char) && utf8Length(char) === 1);
}
