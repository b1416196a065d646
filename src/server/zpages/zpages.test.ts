import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '../../base/bytes.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { PathMux } from '../http/paths.ts';
import { serverRequestOf } from '../http/requests.fixtures.ts';
import { flagzPage } from './flagz.ts';
import { statuszPage } from './statusz.ts';
import { mountZPage } from './zpage.ts';

const STARTED = Date.UTC(2030, 0, 2, 3, 4, 5);
const clock = new VirtualClock(STARTED + 3_723_000);

function createMux(): PathMux {
  const mux = new PathMux();
  mountZPage(mux, flagzPage({ b: '[x,y]', a: '' }));
  const paths = (): readonly string[] => [
    '/',
    '/api/v1',
    '/apis',
    '/metrics',
    '/metrics/slis',
    '/livez',
    '/openapi/v3',
  ];
  mountZPage(mux, statuszPage({ clock, startedAt: STARTED + 999, runtime: 'node v20', paths }));
  return mux;
}

async function ask(target: string, accept?: string) {
  const headers = accept === undefined ? {} : { accept };
  const answer = await createMux().serve(serverRequestOf({ method: 'GET', target, headers }));
  if (answer?.kind !== 'bytes') throw new Error('no bytes');
  return { status: answer.status, headers: answer.headers, text: decodeUtf8(answer.body) };
}

describe('z-pages', () => {
  it('show the flags as text, sorted', async () => {
    for (const accept of [undefined, ' ', '*/*', 'text/plain', 'application/json;as=X;g=y;v=z, text/*']) {
      const { headers, text } = await ask('/flagz', accept);
      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
      expect(text).toMatch(/^\napiserver flagz\nWarning: This endpoint is not meant .*\na=\nb=\[x,y\]\n$/);
    }
  });

  it('show the status as text', async () => {
    expect((await ask('/statusz')).text.split('\n').slice(3)).toEqual([
      '',
      'Started: Wed Jan  2 03:04:05 UTC 2030',
      'Up: 1 hr 02 min 03 sec',
      'Go version: node v20',
      'Binary version: 1.36.3',
      'Emulation version: 1.36',
      'Paths: /livez /metrics',
      '',
    ]);
  });

  it('have a structured form for clients that name its kind', async () => {
    const flags = await ask('/flagz', 'application/json;as=Flagz;v=v1beta1;g=config.k8s.io');
    expect(flags.headers).toMatchObject({ 'content-type': 'application/json;g=config.k8s.io;v=v1beta1;as=Flagz' });
    expect(flags.headers).not.toHaveProperty('warning');
    expect(flags.text).toBe(
      '{"kind":"Flagz","apiVersion":"config.k8s.io/v1beta1","metadata":{"name":"apiserver"},"flags":{"a":"","b":"[x,y]"}}\n',
    );
    const status = await ask('/statusz', 'application/yaml;as=Statusz;v=v1alpha1;g=config.k8s.io');
    expect(status.headers['warning']).toBe(
      '299 - "This version of the statusz endpoint is deprecated. Please use a newer version."',
    );
    expect(status.text).toContain('startTime: "2030-01-02T03:04:05Z"\nuptimeSeconds: 3723\n');
  });

  it.each([
    'application/json',
    'application/json;as=Statusz;v=v1beta1;g=config.k8s.io',
    'application/json;as=Flagz;v=v1;g=config.k8s.io',
    'application/vnd.kubernetes.protobuf',
    'text/html',
    'text/plain;as=Flagz;v=v1beta1;g=config.k8s.io',
  ])('refuse %s', async (accept) => {
    const { status, text } = await ask('/flagz', accept);
    expect(status).toBe(406);
    expect(JSON.parse(text)).toMatchObject({
      reason: 'NotAcceptable',
      message: 'only the following media types are accepted: application/json, application/yaml, text/plain',
    });
  });
});
