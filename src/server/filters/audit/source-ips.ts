/**
 * The source addresses of a request: those that proxies have recorded in headers, then the address of the connection.
 * Only the last one is trustworthy.
 */
import type { Incoming } from '../../http/exchange.ts';

/** Ignores texts that are not addresses. The address of the connection is not repeated. */
export function sourceIps(incoming: Incoming): string[] {
  const ips: string[] = [];
  const forwarded = incoming.headerValues('x-forwarded-for')[0] ?? '';
  for (const part of forwarded === '' ? [] : forwarded.split(',')) {
    const ip = canonicalIp(part.trim());
    if (ip !== undefined) ips.push(ip);
  }
  const real = canonicalIp(incoming.headerValues('x-real-ip')[0] ?? '');
  if (real !== undefined && !ips.includes(real)) ips.push(real);
  const remote = canonicalIp(incoming.connection.remoteAddress);
  if (remote !== undefined && ips.at(-1) !== remote) ips.push(remote);
  return ips;
}

function canonicalIp(text: string): string | undefined {
  if (!text.includes(':')) return canonicalIpv4(text.split('.'));
  if (!/^[0-9a-fA-F:.]{2,45}$/.test(text) || !URL.canParse(`http://[${text}]/`)) return undefined;
  const ip = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(ip);
  if (mapped === null) return ip;
  const [high, low] = [mapped[1], mapped[2]].map((group) => Number.parseInt(group as string, 16)) as [number, number];
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/** Leading zeros are decimal, as in the reference. */
function canonicalIpv4(parts: readonly string[]): string | undefined {
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,8}$/.test(part) && Number(part) < 256)) return undefined;
  return parts.map(Number).join('.');
}
