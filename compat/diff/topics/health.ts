/** Version, health, OpenID documents, and paths outside the API. */
import { get, send, type Topic, topic } from '../request.ts';
import { only, type View } from '../views.ts';

/** The flags that both servers get with the same value, and some with the same default. */
const SHARED_FLAGS = [
  'anonymous-auth',
  'api-audiences',
  'audit-log-maxage',
  'authorization-mode',
  'default-not-ready-toleration-seconds',
  'enable-admission-plugins',
  'event-ttl',
  'max-requests-inflight',
  'min-request-timeout',
  'request-timeout',
  'requestheader-allowed-names',
  'requestheader-extra-headers-prefix',
  'requestheader-uid-headers',
  'service-account-issuer',
  'service-account-lookup',
  'service-account-max-token-expiration',
  'service-cluster-ip-range',
  'service-node-port-range',
  'shutdown-delay-duration',
  'strict-transport-security-directives',
];
const sharedFlags: View = (body) => {
  const { flags, ...rest } = body as Record<string, Readonly<Record<string, string>>>;
  return { ...rest, flags: Object.fromEntries(SHARED_FLAGS.map((name) => [name, flags?.[name] ?? null])) };
};
const steady = only('kind', 'apiVersion', 'metadata', 'binaryVersion', 'emulationVersion', 'paths');
const zpage = (kind: string, version: string, type = 'json'): string =>
  `application/${type};v=${version};g=config.k8s.io;as=${kind}`;

export const health: Topic = topic('health', {
  version: [
    get('/version', { view: only('major', 'minor') }),
    get('/version', { user: 'anonymous', view: only('major', 'minor') }),
    get('/version/', { view: only('major', 'minor') }),
    send('POST', '/version', { body: {} }),
  ],
  health: [
    get('/healthz'),
    get('/livez'),
    get('/readyz'),
    get('/healthz', { user: 'anonymous' }),
    get('/livez', { user: 'anonymous' }),
    get('/readyz', { user: 'anonymous' }),
    get('/healthz/ping'),
    get('/livez/ping'),
    get('/readyz/ping'),
    get('/healthz/nothing'),
    get('/livez?exclude=ping'),
    get('/readyz?exclude=nothing', { bodyless: true }),
    send('HEAD', '/healthz'),
    send('POST', '/healthz', { body: {} }),
  ],
  openid: [
    get('/.well-known/openid-configuration'),
    get('/openid/v1/jwks'),
    get('/.well-known/openid-configuration', { user: 'alice' }),
    get('/openid/v1/jwks', { user: 'anonymous' }),
  ],
  'z-pages': (
    [
      ['/flagz', 'Flagz', sharedFlags],
      ['/statusz', 'Statusz', steady],
    ] as const
  ).flatMap(([path, kind, view]) => [
    get(path, { bodyless: true }),
    get(path, { accept: '*/*', bodyless: true }),
    get(path, { accept: 'text/plain', bodyless: true }),
    get(path, { accept: 'application/json' }),
    get(path, { accept: 'application/yaml' }),
    get(path, { accept: 'application/vnd.kubernetes.protobuf' }),
    get(path, { accept: 'text/html' }),
    get(path, { accept: zpage(kind, 'v1alpha1'), view }),
    get(path, { accept: zpage(kind, 'v1beta1'), view }),
    get(path, { accept: zpage(kind, 'v1') }),
    get(path, { accept: zpage('Nothing', 'v1beta1') }),
    get(path, { accept: `${zpage(kind, 'v1')}, text/plain`, bodyless: true }),
    get(path, { accept: zpage(kind, 'v1beta1', 'yaml'), bodyless: true }),
    get(path, { accept: zpage(kind, 'v1beta1', 'cbor') }),
    send('HEAD', path),
    send('POST', path, { accept: zpage(kind, 'v1beta1'), view, body: {} }),
    send('OPTIONS', path, { bodyless: true }),
    get(`${path}/`),
    get(path, { user: 'alice' }),
    get(path, { user: 'anonymous' }),
  ]),
  'service levels': [
    get('/readyz'),
    get('/metrics/slis', { bodyless: true }),
    get('/metrics/slis/'),
    get('/metrics/slis', { user: 'alice' }),
    get('/metrics/slis', { user: 'anonymous' }),
    send('POST', '/metrics/slis', { bodyless: true, body: {} }),
  ],
  'other paths': [
    get('/nothing'),
    get('/nothing', { user: 'alice' }),
    get('/nothing', { user: 'anonymous' }),
    get('/metrics', { bodyless: true }),
    get('/metrics', { user: 'alice' }),
    get('/metrics', { user: 'anonymous' }),
    get('/logs', { user: 'alice' }),
    get('/favicon.ico'),
  ],
});
