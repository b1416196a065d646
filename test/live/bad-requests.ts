/** Requests that must be refused with a Status: the request, and the expected code, reason and message. */

export interface BadRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly status: number;
  readonly reason?: string;
  /** A part of the message, or of a Warning header if the request is accepted. */
  readonly says?: string;
}

const MAPS = '/api/v1/namespaces/default/configmaps';
const JSON_TYPE = { 'content-type': 'application/json' };

function map(name: string, more = ''): string {
  return `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"${name}"}${more}}`;
}

function post(
  name: string,
  body: string | Uint8Array,
  rest: Pick<BadRequest, 'status' | 'reason' | 'says'>,
  query = '',
): BadRequest {
  return { name, method: 'POST', path: `${MAPS}?dryRun=All${query}`, headers: JSON_TYPE, body, ...rest };
}

const deep = (levels: number): string => map('deep', `,"data":${'['.repeat(levels)}${']'.repeat(levels)}`);
const twice = map('twice', ',"data":{"a":"1","a":"2"}');
const unknown = map('unknown', ',"date":{"a":"1"}');

export const BAD_REQUESTS: readonly BadRequest[] = [
  post('a body over the limit', map('large', `,"data":{"a":"${'x'.repeat(3 * 1024 * 1024)}"}`), {
    status: 413,
    reason: 'RequestEntityTooLarge',
  }),
  post('JSON nested 20,000 deep', deep(20_000), { status: 400, reason: 'BadRequest' }),
  post('half a JSON document', '{"kind":"ConfigMap","apiVersion":"v1","metad', { status: 400, reason: 'BadRequest' }),
  post('no body at all', '', { status: 400, reason: 'BadRequest' }),
  post(
    'duplicate keys, Strict',
    twice,
    { status: 400, reason: 'BadRequest', says: 'duplicate field' },
    '&fieldValidation=Strict',
  ),
  post('duplicate keys, Warn', twice, { status: 201, says: 'duplicate field' }, '&fieldValidation=Warn'),
  post('duplicate keys, Ignore', twice, { status: 201 }, '&fieldValidation=Ignore'),
  post(
    'an unknown field, Strict',
    unknown,
    { status: 400, reason: 'BadRequest', says: 'unknown field' },
    '&fieldValidation=Strict',
  ),
  post('an unknown field, Warn', unknown, { status: 201, says: 'unknown field' }, '&fieldValidation=Warn'),
  post('an unknown field, Ignore', unknown, { status: 201 }, '&fieldValidation=Ignore'),
  post('a field of the wrong type', map('typed', ',"data":[1]'), {
    status: 400,
    reason: 'BadRequest',
    says: 'cannot unmarshal',
  }),
  post('an invalid name', map('Not_A_Name'), { status: 422, reason: 'Invalid', says: 'metadata.name' }),
  post('a kind of another path', '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"}}', {
    status: 400,
    reason: 'BadRequest',
  }),
  {
    name: 'an unsupported content type',
    method: 'POST',
    path: MAPS,
    headers: { 'content-type': 'application/xml' },
    body: '<a/>',
    status: 415,
    reason: 'UnsupportedMediaType',
  },
  {
    name: 'an unknown patch type',
    method: 'PATCH',
    path: `${MAPS}/kube-root-ca.crt`,
    headers: JSON_TYPE,
    body: '{}',
    status: 415,
    reason: 'UnsupportedMediaType',
  },
  {
    name: 'an unsupported Accept header',
    method: 'GET',
    path: MAPS,
    headers: { accept: 'text/html' },
    status: 406,
    reason: 'NotAcceptable',
  },
  {
    name: 'a bad label selector',
    method: 'GET',
    path: `${MAPS}?labelSelector=a%20in%20(`,
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'a bad field selector',
    method: 'GET',
    path: `${MAPS}?fieldSelector=data.a%3D1`,
    status: 400,
    reason: 'BadRequest',
  },
  {
    name: 'a bad continue token',
    method: 'GET',
    path: `${MAPS}?limit=1&continue=zzz`,
    status: 400,
    reason: 'BadRequest',
  },
  { name: 'a bad limit', method: 'GET', path: `${MAPS}?limit=many`, status: 400, reason: 'BadRequest' },
  { name: 'an invalid dryRun', method: 'DELETE', path: `${MAPS}/a?dryRun=Some`, status: 422, reason: 'Invalid' },
  { name: 'a method that no path has', method: 'BREW', path: MAPS, status: 405, reason: 'MethodNotAllowed' },
  { name: 'an unknown path', method: 'GET', path: '/no/such/path', status: 404 },
];
