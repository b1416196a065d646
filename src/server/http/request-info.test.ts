import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '../../base/bytes.ts';
import { problemAnswer } from './plain-answers.ts';
import { parseRequestInfo, type RequestInfo } from './request-info.ts';

function info(method: string, target: string): RequestInfo {
  const result = parseRequestInfo(method, target);
  if (!result.ok) throw new Error(result.problem);
  return result.info;
}

/** verb, prefix, group, version, namespace, resource, subresource, name, parts. */
function row(method: string, target: string): readonly string[] {
  const i = info(method, target);
  expect(i.isResourceRequest).toBe(true);
  return [
    i.verb,
    i.apiPrefix,
    i.apiGroup,
    i.apiVersion,
    i.namespace,
    i.resource,
    i.subresource,
    i.name,
    i.parts.join('/'),
  ];
}

// The path forms that the reference documents, and its special cases.
describe('a resource request', () => {
  it.each([
    ['GET', '/api/v1/namespaces', ['list', 'api', '', 'v1', '', 'namespaces', '', '', 'namespaces']],
    [
      'GET',
      '/api/v1/namespaces/other',
      ['get', 'api', '', 'v1', 'other', 'namespaces', '', 'other', 'namespaces/other'],
    ],
    ['GET', '/api/v1/namespaces/other/pods', ['list', 'api', '', 'v1', 'other', 'pods', '', '', 'pods']],
    ['GET', '/api/v1/namespaces/other/pods/foo', ['get', 'api', '', 'v1', 'other', 'pods', '', 'foo', 'pods/foo']],
    ['HEAD', '/api/v1/namespaces/other/pods/foo', ['get', 'api', '', 'v1', 'other', 'pods', '', 'foo', 'pods/foo']],
    ['GET', '/api/v1/pods', ['list', 'api', '', 'v1', '', 'pods', '', '', 'pods']],
    ['HEAD', '/api/v1/pods', ['list', 'api', '', 'v1', '', 'pods', '', '', 'pods']],
    [
      'GET',
      '/api/v1/namespaces/other/pods/foo/status',
      ['get', 'api', '', 'v1', 'other', 'pods', 'status', 'foo', 'pods/foo/status'],
    ],
    [
      'PUT',
      '/api/v1/namespaces/other/finalize',
      ['update', 'api', '', 'v1', 'other', 'namespaces', 'finalize', 'other', 'namespaces/other/finalize'],
    ],
    [
      'PUT',
      '/api/v1/namespaces/other/status',
      ['update', 'api', '', 'v1', 'other', 'namespaces', 'status', 'other', 'namespaces/other/status'],
    ],
    ['POST', '/api/v1/namespaces/other/pods', ['create', 'api', '', 'v1', 'other', 'pods', '', '', 'pods']],
    ['PUT', '/api/v1/namespaces/other/pods/foo', ['update', 'api', '', 'v1', 'other', 'pods', '', 'foo', 'pods/foo']],
    ['PATCH', '/api/v1/namespaces/other/pods/foo', ['patch', 'api', '', 'v1', 'other', 'pods', '', 'foo', 'pods/foo']],
    [
      'DELETE',
      '/api/v1/namespaces/other/pods/foo',
      ['delete', 'api', '', 'v1', 'other', 'pods', '', 'foo', 'pods/foo'],
    ],
    ['DELETE', '/api/v1/namespaces/other/pods', ['deletecollection', 'api', '', 'v1', 'other', 'pods', '', '', 'pods']],
    ['OPTIONS', '/api/v1/namespaces/other/pods', ['', 'api', '', 'v1', 'other', 'pods', '', '', 'pods']],
    ['get', '/api/v1/pods', ['', 'api', '', 'v1', '', 'pods', '', '', 'pods']],
    [
      'POST',
      '/apis/apps/v1/namespaces/other/deployments/a/scale/b',
      ['create', 'apis', 'apps', 'v1', 'other', 'deployments', 'scale', 'a', 'deployments/a/scale/b'],
    ],
    ['GET', '/api/v1/watch/pods', ['watch', 'api', '', 'v1', '', 'pods', '', '', 'pods']],
    ['GET', '/api/v1/watch/namespaces/other/pods/a', ['watch', 'api', '', 'v1', 'other', 'pods', '', 'a', 'pods/a']],
    ['GET', '/api/v1/watch/nodes/a/x', ['watch', 'api', '', 'v1', '', 'nodes', 'x', 'a', 'nodes/a/x']],
    [
      'GET',
      '/api/v1/proxy/namespaces/other/pods/foo/x',
      ['proxy', 'api', '', 'v1', 'other', 'pods', '', 'foo', 'pods/foo/x'],
    ],
    ['GET', '//api/v1/pods//', ['list', 'api', '', 'v1', '', 'pods', '', '', 'pods']],
    ['GET', '/api/v1/namespaces//pods', ['list', 'api', '', 'v1', '', 'pods', '', '', 'pods']],
    ['GET', '/api/v1/pods//log', ['list', 'api', '', 'v1', '', 'pods', 'log', '', 'pods//log']],
  ])('%s %s', (method, target, expected) => {
    expect(row(method, target)).toEqual(expected);
  });
});

describe('another request', () => {
  it.each([
    ['GET', '/', '', 'get'],
    ['GET', '/api', '', 'get'],
    ['GET', '/api/v1', '', 'get'],
    ['POST', '/apis/apps', '', 'post'],
    ['GET', '/apis/apps/v1', 'apis', 'get'],
    ['HEAD', '/healthz?verbose', '', 'head'],
    ['FOO', '/other/v1/pods/a', '', 'foo'],
    ['OPTIONS', '*', '', 'options'],
  ])('%s %s is not a resource request', (method, target, apiPrefix, verb) => {
    const i = info(method, target);
    expect([i.isResourceRequest, i.path, i.apiPrefix, i.verb]).toEqual([false, target.split('?')[0], apiPrefix, verb]);
    expect([i.apiGroup, i.apiVersion, i.namespace, i.resource, i.subresource, i.name, ...i.parts].join('')).toBe('');
  });

  it.each(['/api/v1/watch', '/api/v1/proxy/', '/apis/apps/v1/watch?watch=1'])('%s is incomplete', (target) => {
    expect(parseRequestInfo('GET', target)).toEqual({
      ok: false,
      problem: 'incomplete',
      message: `unable to determine kind and namespace from url, ${target}`,
    });
  });

  it.each(['', 'api/v1/pods', '/api/v1/%', '/a%2', '/%zz', '/%C3%A', 'ftp://h/'])('%j is malformed', (target) => {
    expect(parseRequestInfo('GET', target)).toEqual({ ok: false, problem: 'malformed-target' });
  });
});

describe('the answer to a target that cannot be parsed', () => {
  it.each([
    ['/%', 400, '400 Bad Request'],
    [
      '/api/v1/watch?<a>&"b"',
      500,
      'Internal Server Error: "/api/v1/watch?&lt;a&gt;&amp;\\"b\\"": failed to create RequestInfo: ' +
        'unable to determine kind and namespace from url, /api/v1/watch?&lt;a&gt;&amp;"b"\n',
    ],
  ])('%s is a %d', (target, status, body) => {
    const result = parseRequestInfo('GET', target);
    if (result.ok) throw new Error(result.info.path);
    const answer = problemAnswer(target, result);
    if (answer.kind !== 'bytes') throw new Error(answer.kind);
    expect([answer.status, decodeUtf8(answer.body)]).toEqual([status, body]);
  });
});

describe('the target', () => {
  it.each([
    ['/api/v1/namespaces/a%2Fpods/x', '/api/v1/namespaces/a/pods/x'],
    ['/a+b%20c%2b', '/a+b c+'],
    ['/%C3%A9%F0%9F%98%80/%C3/x', '/é😀/\ufffd/x'],
    ['/é', '/é'],
    ['/a%2525', '/a%25'],
    ['http://host:1/a%20b?c', '/a b'],
    ['https://host', ''],
    ['http://host?a/b', ''],
  ])('%s has the path %s', (target, path) => {
    expect(info('GET', target).path).toBe(path);
  });

  it('is split after decoding, as in the reference', () => {
    expect(info('GET', '/api/v1/namespaces/a%2Fpods/x')).toMatchObject({ namespace: 'a', resource: 'pods', name: 'x' });
  });

  it('has the decoded query', () => {
    expect([...info('GET', '/healthz?verbose&exclude=a%2Fb&exclude=c').params]).toEqual([
      ['verbose', ['']],
      ['exclude', ['a/b', 'c']],
    ]);
    expect(info('GET', '/healthz').params.size).toBe(0);
  });
});

describe('a read of a collection', () => {
  it.each([
    ['', 'list'],
    ['watch=true', 'watch'],
    ['watch=1', 'watch'],
    ['watch', 'watch'],
    ['watch=', 'watch'],
    ['watch=no', 'watch'],
    ['watch=0', 'list'],
    ['watch=False', 'list'],
    ['watch=fal%C5%BFe', 'list'],
    ['watch=fal%C5%BFe&limit=x', 'watch'],
    ['watch=false&limit=x', 'list'],
    ['watch=1&limit=x', 'watch'],
    ['watch=0&watch=1', 'list'],
    ['Watch=1', 'list'],
    ['allowWatchBookmarks=1', 'list'],
  ])('with %j is a %s', (query, verb) => {
    expect(info('GET', `/api/v1/pods?${query}`).verb).toBe(verb);
  });

  it.each([
    ['metadata.name=a', 'a'],
    ['metadata.name%3D%3Da%2Cx!%3Db', 'a'],
    ['metadata.name!=a', ''],
    ['metadata.name=', ''],
    ['metadata.name=a/b', ''],
    ['metadata.name=..', ''],
    ['metadata.name=a%2525', ''],
    ['metadata.name=a&limit=x', ''],
    ['metadata.name=a&labelSelector=!!', ''],
    ['x=metadata.name', ''],
  ])('with the field selector %s has the name %j', (selector, name) => {
    expect(info('GET', `/api/v1/pods?fieldSelector=${selector}`)).toMatchObject({ verb: 'list', name });
    expect(info('GET', `/api/v1/pods?watch=1&fieldSelector=${selector}`)).toMatchObject({ verb: 'watch', name });
  });

  it('ignores the selector if the path names an object or the verb', () => {
    expect(info('GET', '/api/v1/pods/b?fieldSelector=metadata.name=a&watch=1')).toMatchObject({
      verb: 'get',
      name: 'b',
      fieldSelector: '',
    });
    expect(info('GET', '/api/v1/watch/pods?fieldSelector=metadata.name=a')).toMatchObject({
      name: '',
      fieldSelector: '',
    });
    expect(info('DELETE', '/api/v1/pods?fieldSelector=metadata.name=a').name).toBe('');
  });

  it('has the selectors for authorization, also malformed ones', () => {
    const query = 'labelSelector=a%3Db&labelSelector=c&fieldSelector=!!';
    const selectors = { labelSelector: 'a=b', fieldSelector: '!!' };
    expect(info('GET', `/api/v1/pods?${query}`)).toMatchObject({ verb: 'list', ...selectors });
    expect(info('GET', `/api/v1/pods?watch=1&${query}`)).toMatchObject({ verb: 'watch', ...selectors });
    expect(info('DELETE', `/api/v1/pods?${query}`)).toMatchObject({ verb: 'deletecollection', ...selectors });
    expect(info('POST', `/api/v1/pods?${query}`)).toMatchObject({ labelSelector: '', fieldSelector: '' });
  });
});
