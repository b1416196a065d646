/** Version, health, OpenID documents, and paths outside the API. */
import { get, send, type Topic, topic } from '../request.ts';
import { only } from '../views.ts';

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
