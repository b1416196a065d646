import { describe, expect, it } from 'vitest';
import { servePages } from './serve-pages.ts';

describe('servePages', () => {
  it('serves pages over HTTP until it is stopped', async () => {
    let told = '';
    const server = await servePages({ onListening: (url) => (told = url) })(async ({ method, target }) => {
      if (target === '/throws') throw new TypeError('broken page');
      return { status: target === '/readyz' ? 500 : 200, contentType: 'text/plain', body: `${method} ${target}` };
    });
    expect(told).toBe(server.url);
    const response = await fetch(`${server.url}/debug/reconciles?key=a%2Fb`);
    expect(await response.text()).toBe('GET /debug/reconciles?key=a%2Fb');
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect((await fetch(`${server.url}/readyz`)).status).toBe(500);
    expect(await (await fetch(server.url, { method: 'HEAD' })).text()).toBe('');
    const broken = await fetch(`${server.url}/throws`);
    expect([broken.status, await broken.text()]).toEqual([500, 'broken page\n']);
    await server.stop();
    await expect(fetch(server.url)).rejects.toThrow();
  });

  it('says that a port is in use', async () => {
    const first = await servePages()(async () => ({ status: 200, contentType: 'text/plain', body: '' }));
    const port = Number(new URL(first.url).port);
    await expect(servePages({ port })(async () => ({ status: 200, contentType: '', body: '' }))).rejects.toThrow(
      `cannot serve pages on 127.0.0.1:${port}: listen EADDRINUSE`,
    );
    await first.stop();
  });
});
