import { describe, expect, it } from 'vitest';
import { encodeBase64 } from '../base/base64.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { createCa } from '../pki/certificates.ts';
import { bundlesFor, mergeCas } from './trusted-cas.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);

async function caFrom(time: number, validity = 30 * DAY): Promise<string> {
  return (await createCa({ commonName: 'ca', clock: new VirtualClock(time), validity })).certificatePem;
}

const encode = (pem: string): string => encodeBase64(encodeUtf8(pem));

describe('mergeCas', () => {
  it('keeps the CAs of others behind its own, each once', async () => {
    const [own, other] = [await caFrom(START), await caFrom(START)];
    const merged = mergeCas(own, [encode(`${other}${own}`), encode(other)], START);
    expect(merged).toBe(`${own.trimEnd()}\n${other.trimEnd()}\n`);
  });

  it('drops expired and malformed CAs', async () => {
    const [own, old] = [await caFrom(START + 40 * DAY), await caFrom(START)];
    expect(mergeCas(own, [encode(old), encode('nothing'), '!'], START + 40 * DAY)).toBe(`${own.trimEnd()}\n`);
  });

  it('keeps the newest 32', async () => {
    const others = await Promise.all(Array.from({ length: 40 }, (_, i) => caFrom(START + i * 3_600_000)));
    const own = await caFrom(START);
    const merged = mergeCas(own, others.map(encode), START + DAY);
    expect(merged.match(/BEGIN CERTIFICATE/g)).toHaveLength(32);
    expect(merged).toContain(own.trim());
    expect(merged).toContain(others[39]?.trim());
    expect(merged).not.toContain(others[0]?.trim());
  });
});

describe('bundlesFor', () => {
  it('returns the bundles of the same Service and port, or of the same origin', () => {
    const service = { namespace: 'a', name: 'guard' };
    const configs = [
      { service: { ...service, path: '/x' }, caBundle: 'Mw==' },
      { service: { ...service, port: 8443 }, caBundle: 'NA==' },
      { service: { ...service, namespace: 'b' }, caBundle: 'NQ==' },
      { url: 'https://guard.example.com:8443/validate', caBundle: 'Ng==' },
    ];
    expect(bundlesFor({ service }, configs)).toEqual(['Mw==']);
    expect(bundlesFor({ service: { ...service, port: 8443 } }, configs)).toEqual(['NA==']);
    expect(bundlesFor({ url: 'https://guard.example.com:8443' }, configs)).toEqual(['Ng==']);
    expect(bundlesFor({ url: 'https://guard.example.com' }, configs)).toEqual([]);
  });
});
