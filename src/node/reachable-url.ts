/** The URL of a listener for clients on the same machine. */
import type { Listener } from './listener.ts';

/** Returns the URL for clients on this machine. Loopback replaces an unspecified address. */
export function reachableUrl({ address, port, url }: Pick<Listener, 'address' | 'port' | 'url'>): string {
  if (address === '0.0.0.0') return `https://127.0.0.1:${port}`;
  return address === '::' ? `https://[::1]:${port}` : url;
}
