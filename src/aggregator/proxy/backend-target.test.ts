import { describe, expect, it } from 'vitest';
import { parseRequestInfo } from '../../server/http/request-info.ts';
import { backendTarget, forwardedUri } from './backend-target.ts';

function written(target: string): string {
  const parsed = parseRequestInfo('GET', target);
  if (!parsed.ok) throw new TypeError(`${target} is malformed`);
  return backendTarget(target, parsed.info);
}

describe('the target of a proxied request', () => {
  it('is that of the client if its form is canonical', () => {
    for (const target of [
      '/apis/g.io/v1/things',
      '/apis/g.io/v1/things?watch=true&limit=5',
      '/apis/g.io/v1/a/../b//c;d',
    ])
      expect(written(target)).toBe(target);
  });

  it('is written again from the decoded path and parameters otherwise, as the reference does', () => {
    expect(written('/apis/g.io/v1/things/a%2Fb%20c//d/../e;f?watch=false&x=%zz&y=1;2')).toBe(
      '/apis/g.io/v1/things/a/b%20c//d/../e;f?watch=false',
    );
    expect(written('/apis/g.io/v1/things?labelSelector=a%3Db,c+in+(d)&fieldSelector=x%3D%C3%A9&a')).toBe(
      '/apis/g.io/v1/things?a=&fieldSelector=x%3D%C3%A9&labelSelector=a%3Db%2Cc+in+%28d%29',
    );
    expect(written("/apis/g.io/v1/it's(*)!")).toBe('/apis/g.io/v1/it%27s%28%2A%29%21');
  });

  it('has no character that could end the request line', () => {
    expect(written('/apis/g.io/v1/a%0d%0aX-Remote-User:%20evil%20HTTP/1.1')).toBe(
      '/apis/g.io/v1/a%0D%0AX-Remote-User:%20evil%20HTTP/1.1',
    );
    expect(written('/apis/g.io/v1/a?b=%0d%0a')).toBe('/apis/g.io/v1/a?b=%0D%0A');
  });
});

describe('X-Forwarded-Uri', () => {
  it('is the path without empty and dot segments, and keeps the slash at the end', () => {
    expect(forwardedUri('/apis/g.io/v1/things/?a=b')).toBe('/apis/g.io/v1/things/');
    expect(forwardedUri('/apis/g.io/v1/a/b%20c//d/../e;f?watch=false')).toBe('/apis/g.io/v1/a/b%20c/e;f');
    expect(forwardedUri('/a/../..')).toBe('/');
    expect(forwardedUri('/a/.hidden/..b')).toBe('/a/.hidden/..b');
  });
});
