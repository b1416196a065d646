import { describe, expect, it } from 'vitest';
import { statusOf } from '../../apimachinery/status/status.ts';
import { decodeUtf8 } from '../../base/bytes.ts';
import { MetricRegistry } from '../../base/metrics/metric-registry.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { Health, PING } from '../health.ts';
import { versionInfo } from '../version-info.ts';
import type { Answer } from './exchange.ts';
import { mountHealth, mountMetrics, mountVersion, NOT_FOUND, PathMux } from './paths.ts';
import { bytesOf, requestOf } from './requests.fixtures.ts';

function answerOf(name: string): Answer {
  return { ...bytesOf(NOT_FOUND), status: 200, headers: { name } };
}

async function ask(mux: PathMux, target: string, method = 'GET', accept = '*/*'): Promise<string> {
  try {
    const { status, headers, body } = bytesOf(await (mux.serve(requestOf(target, { accept }, method)) ?? NOT_FOUND));
    return `${status} ${headers.name ?? decodeUtf8(body)}`;
  } catch (caught) {
    return `Status ${statusOf(caught)?.code} ${statusOf(caught)?.message}`;
  }
}

describe('the mux', () => {
  it('prefers exact paths to prefixes and longer prefixes to shorter ones', async () => {
    const mux = new PathMux();
    mux.handlePrefix('/a/', () => answerOf('short'));
    mux.handlePrefix('/a/b/', () => answerOf('long'));
    mux.handle('/a/b/c', () => answerOf('exact'));
    expect(await ask(mux, '/a/b/c')).toBe('200 exact');
    expect(await ask(mux, '/a/b/c/')).toBe('200 long');
    expect(await ask(mux, '/a/b/')).toBe('200 long');
    expect(await ask(mux, '/a/b')).toBe('200 short');
    expect(mux.serve(requestOf('/a'))).toBeUndefined();
  });

  it('refuses a second handler of a path and a prefix without its slash', () => {
    const mux = new PathMux();
    mux.handle('/a', () => NOT_FOUND);
    mux.handlePrefix('/a/', () => NOT_FOUND);
    expect(() => mux.handle('/a', () => NOT_FOUND)).toThrow(/already/);
    expect(() => mux.handlePrefix('/a/', () => NOT_FOUND)).toThrow(/already/);
    expect(() => mux.handlePrefix('/b', () => NOT_FOUND)).toThrow(/slash/);
  });

  it('lists what is served, sorted, each path once, indented and without a newline at the end', async () => {
    const mux = new PathMux();
    mux.handle('/version', () => NOT_FOUND);
    mux.handle('/hidden', () => NOT_FOUND, { listed: false });
    mux.handlePrefix('/openapi/v3/', () => NOT_FOUND);
    const more = ['/apis'];
    mux.list(() => more);
    mux.list(() => ['/apis', '/version']);
    more.push('/api');
    const index = '200 {\n  "paths": [\n    "/api",\n    "/apis",\n    "/openapi/v3/",\n    "/version"\n  ]\n}';
    expect(await ask(mux, '/')).toBe(index);
    expect(await ask(mux, '/index.html', 'POST', 'application/yaml')).toBe(index);
  });

  it("answers unknown paths with the reference's plain text", () => {
    expect(NOT_FOUND).toMatchObject({
      status: 404,
      headers: {
        'cache-control': 'no-cache, private',
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
      },
    });
    expect(decodeUtf8(bytesOf(NOT_FOUND).body)).toBe('404 page not found\n');
  });
});

describe('mounted paths', () => {
  it('serves health endpoints and each check, with any method, and lists them', async () => {
    const mux = new PathMux();
    const health = new Health({ clock: new VirtualClock() });
    health.add(PING);
    mountHealth(mux, health);
    expect(await ask(mux, '/readyz', 'POST')).toBe('200 ok');
    expect(await ask(mux, '/livez/ping')).toBe('200 ok');
    expect(await ask(mux, '/healthz/')).toBe('404 404 page not found\n');
    health.addTo('readyz', { name: 'poststarthook/bootstrap', check: () => 'not yet' });
    expect(await ask(mux, '/readyz/poststarthook/bootstrap')).toContain('500 ');
    expect(mux.paths()).toEqual([
      '/healthz',
      '/healthz/ping',
      '/livez',
      '/livez/ping',
      '/readyz',
      '/readyz/ping',
      '/readyz/poststarthook/bootstrap',
      '/readyz/shutdown',
    ]);
  });

  it('serves metrics with the start of the process', async () => {
    const mux = new PathMux();
    const registry = new MetricRegistry();
    registry.counter({ name: 'c_total', help: 'h', labels: [] }).labels().add(2);
    mountMetrics(mux, registry, { startedAt: 1_794_728_540_999 });
    expect(await ask(mux, '/metrics')).toBe('200 # HELP c_total h\n# TYPE c_total counter\nc_total 2\n');
    const { headers } = bytesOf(await (mux.serve(requestOf('/metrics')) ?? NOT_FOUND));
    expect(headers['process-start-time-unix']).toBe('1794728540');
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8; escaping=underscores');
    expect(await ask(mux, '/metrics/')).toBe('404 404 page not found\n');
  });

  it('serves the version to GET and as JSON only', async () => {
    const mux = new PathMux();
    mountVersion(mux, versionInfo({ version: '0.1.0', runtime: 'node v22', platform: 'linux/amd64' }));
    for (const path of ['/version', '/version/', '/version//'])
      expect(await ask(mux, path), path).toMatch(/^200 {\n {2}"major": "1"/);
    expect(await ask(mux, '/version/x')).toBe('Status 404 the server could not find the requested resource');
    expect(await ask(mux, '/version', 'HEAD')).toBe(
      'Status 405 the server does not allow this method on the requested resource',
    );
    expect(await ask(mux, '/version', 'GET', 'application/yaml')).toBe(
      'Status 406 406: Not Acceptable\n\nAvailable representations: application/json',
    );
    expect(mux.paths()).toEqual(['/version']);
  });
});
