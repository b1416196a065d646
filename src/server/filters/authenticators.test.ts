import { describe, expect, it } from 'vitest';
import { decodeBase64, encodeBase64 } from '../../base/base64.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import { type AuthenticationResult, NOT_RECOGNIZED, type TokenAuthenticator } from '../authenticator.ts';
import { anonymousAuthenticator } from './authentication/anonymous.ts';
import {
  bearerTokenAuthenticator,
  hasSpacedToken,
  webSocketTokenAuthenticator,
} from './authentication/bearer-token.ts';
import { headerText } from './authentication/header-text.ts';
import { requestHeaderAuthenticator, STANDARD_REQUEST_HEADERS } from './authentication/request-header.ts';
import { createAuthenticator, unionAuthenticator, unionTokenAuthenticator } from './authentication/union.ts';
import { x509Authenticator } from './authentication/x509.ts';
import { subjectUid } from './authentication/x509-uid.ts';
import { atOnce, FakeIncoming, type FakeRequest, userNamed } from './filters.fixtures.ts';

const failed = (message: string): AuthenticationResult => ({ outcome: 'failed', message });
const ok = (name: string, groups: readonly string[] = []): AuthenticationResult => ({
  outcome: 'ok',
  user: userNamed(name, groups),
});

/** Made by openssl: O=devs, CN=carol and one UID of 1.3.6.1.4.1.57683.2; the other has two of them. */
const ONE_UID =
  'MIIBbzCCARUCFG3lPFzuk2dbpwQy9nmJQjWTAkjJMAoGCCqGSM49BAMCMDkxDTALBgNVBAoMBGRldnMxDjAMBgNVBAMMBWNhcm9sMRgwFgYJKwYBBAGDwlMCDAkxMjM0LWFiY2QwIBcNMjYxMTE1MDgwMjA3WhgPMjEyNjEwMjIwODAyMDdaMDkxDTALBgNVBAoMBGRldnMxDjAMBgNVBAMMBWNhcm9sMRgwFgYJKwYBBAGDwlMCDAkxMjM0LWFiY2QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQzeAPn43PpWzqyVffwKZHqVSeesCSzKA6F5EYas4YfAetz1dIk9IAZX2qnESJB9GA1ED299mvqSlKzgtTbTYboMAoGCCqGSM49BAMCA0gAMEUCIBk1RCCn+WevqbPweWp9/6yAUzGnEtnvYB1Zke8CkZ8RAiEA36tgPG8GfIjU2YOtsaMQKnGdcsfX+od/enU45eZ+ONA=';
const TWO_UIDS =
  'MIIBgzCCASkCFGNG0p72yr5DiLcH8L8hySeiDCc0MAoGCCqGSM49BAMCMEMxDTALBgNVBAoMBGRldnMxDjAMBgNVBAMMBWNhcm9sMRAwDgYJKwYBBAGDwlMCDAFhMRAwDgYJKwYBBAGDwlMCDAFiMCAXDTI2MTExNTA4MDIwN1oYDzIxMjYxMDIyMDgwMjA3WjBDMQ0wCwYDVQQKDARkZXZzMQ4wDAYDVQQDDAVjYXJvbDEQMA4GCSsGAQQBg8JTAgwBYTEQMA4GCSsGAQQBg8JTAgwBYjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNZsp/nhiLVCiZ3BDSbPfZGgCQhDwpUWXuXgzt+Ucelo2k/bbUm/7q+r62OFIFBDzNfR5OLGgd1zODELzhs0PfcwCgYIKoZIzj0EAwIDSAAwRQIgH0vNv2MrnSBvBGY8MWylqKKhlK8gRX2AtYS6PFDtECECIQDEjwzZ1i6ZfYiJURyZ4PENJ/Ly3BWQSWyI2nryfbP7yQ==';

describe('a client certificate', () => {
  const authenticate = x509Authenticator();

  it('has the user, the groups, the UID and the credential id', () => {
    const der = decodeBase64(ONE_UID)!;
    const incoming = new FakeIncoming({ certificate: { der } });
    const result = atOnce(authenticate(incoming));
    expect(result).toEqual({
      outcome: 'ok',
      user: {
        name: 'carol',
        uid: '1234-abcd',
        groups: ['devs'],
        extra: {
          'authentication.kubernetes.io/credential-id': [
            'X509SHA256=2675bb237e7d8df6adf2f328cdc67bf34077fe0bc3cc9b1a1c57cceef80394d7',
          ],
        },
      },
    });
    expect(authenticate(incoming)).toBe(result);
  });

  it.each<[string, FakeRequest, AuthenticationResult]>([
    ['is not there', {}, NOT_RECOGNIZED],
    ['has no common name', { certificate: { commonName: '' } }, NOT_RECOGNIZED],
    ['does not verify', { certificateProblem: 'expired' }, failed('verifying certificate failed: expired')],
    [
      'is one of a front proxy',
      { certificate: { authorities: ['front-proxy'] } },
      failed('verifying certificate failed: x509: certificate signed by unknown authority'),
    ],
    [
      'has two UIDs',
      { certificate: { der: decodeBase64(TWO_UIDS)! } },
      failed('expected 1 UID, but found multiple: [a b]'),
    ],
  ])('that %s does not identify a user', (_, request, expected) => {
    expect(authenticate(new FakeIncoming(request))).toEqual(expected);
  });

  it('with wrong lengths is refused at every cut', () => {
    const der = decodeBase64(ONE_UID)!;
    for (let length = 0; length < der.length; length++)
      expect(subjectUid(der.subarray(0, length)).ok, `${length}`).toBe(false);
  });
});

describe('a front proxy', () => {
  const headers = {
    'x-remote-user': ['dave', 'mallory'],
    'x-remote-uid': '7',
    'x-remote-group': ['a', '', 'b'],
    'x-remote-extra-scopes%2fall': ['x', 'y'],
  };
  const authenticate = requestHeaderAuthenticator({ ...STANDARD_REQUEST_HEADERS, allowedNames: ['proxy'] });
  const from = (commonName: string, authorities: readonly string[]): AuthenticationResult =>
    atOnce(authenticate(new FakeIncoming({ headers, certificate: { commonName, authorities } })));

  it('sends the user in headers', () => {
    expect(from('proxy', ['client', 'front-proxy'])).toEqual({
      outcome: 'ok',
      user: { name: 'dave', uid: '7', groups: ['a', 'b'], extra: { 'scopes/all': ['x', 'y'] } },
    });
  });

  it('sends users in UTF-8, as every header does', () => {
    // Encodes a text as listeners pass header values: one character per byte.
    const bytes = (text: string): string => String.fromCharCode(...encodeUtf8(text));
    const headers = {
      'x-remote-user': bytes('jürgen€'),
      'x-remote-uid': bytes('ü'),
      'x-remote-group': [bytes('grüppe'), 'plain'],
      'x-remote-extra-a': bytes('wört'),
    };
    expect(
      atOnce(
        authenticate(new FakeIncoming({ headers, certificate: { commonName: 'proxy', authorities: ['front-proxy'] } })),
      ),
    ).toEqual({
      outcome: 'ok',
      user: { name: 'jürgen€', uid: 'ü', groups: ['grüppe', 'plain'], extra: { a: ['wört'] } },
    });
    const token: TokenAuthenticator = (given) => ({ outcome: 'ok', user: userNamed(given) });
    const bearer = new FakeIncoming({ headers: { authorization: `Bearer ${bytes('tökénà')}` } });
    expect(atOnce(bearerTokenAuthenticator(token)(bearer))).toMatchObject({ user: { name: 'tökénà' } });
    expect([headerText('a\xe9'), headerText('€')]).toEqual(['a\ufffd', '€']);
  });

  it('is accepted only with a certificate of its authority and an allowed name', () => {
    expect(from('proxy', ['client'])).toEqual(failed('x509: certificate signed by unknown authority'));
    expect(from('other', ['front-proxy'])).toEqual(failed('x509: subject with cn=other is not in the allowed list'));
    expect(authenticate(new FakeIncoming({ headers }))).toBe(NOT_RECOGNIZED);
    expect(authenticate(new FakeIncoming({ headers, certificateProblem: 'expired' }))).toEqual(failed('expired'));
  });

  it('without a user header is not recognized; without allowed names every certificate is accepted', () => {
    const certificate = { commonName: 'any', authorities: ['front-proxy'] };
    const trusting = requestHeaderAuthenticator({ ...STANDARD_REQUEST_HEADERS, allowedNames: [] });
    expect(trusting(new FakeIncoming({ certificate }))).toBe(NOT_RECOGNIZED);
    expect(trusting(new FakeIncoming({ certificate, headers }))).toMatchObject({ outcome: 'ok' });
  });

  it('may use other header names in any case, but not empty ones', () => {
    const certificate = { authorities: ['front-proxy'] };
    const names = { username: ['X-One', 'X-Two'], uid: [], group: [], extraPrefix: [], allowedNames: [] };
    const result = requestHeaderAuthenticator(names)(new FakeIncoming({ certificate, headers: { 'x-two': 'erin' } }));
    expect(result).toMatchObject({ outcome: 'ok', user: { name: 'erin' } });
    expect(() => requestHeaderAuthenticator({ ...names, group: [' '] })).toThrow('empty header " "');
  });
});

const tokens: TokenAuthenticator = (token) => (token === 'good' ? ok('tom') : NOT_RECOGNIZED);

describe('a bearer token', () => {
  const authenticate = bearerTokenAuthenticator(tokens);
  it.each<[string | undefined, AuthenticationResult]>([
    [undefined, NOT_RECOGNIZED],
    ['Bearer good', ok('tom')],
    ['  bEaReR good and more ', ok('tom')],
    ['Bearer bad', failed('invalid bearer token')],
    ['Bearer', NOT_RECOGNIZED],
    ['Bearer  good', NOT_RECOGNIZED],
    ['Basic good', NOT_RECOGNIZED],
  ])('in %j', (authorization, expected) => {
    const headers = authorization === undefined ? {} : { authorization };
    expect(authenticate(new FakeIncoming({ headers }))).toEqual(expected);
  });

  it('may be asynchronous', async () => {
    const slow = bearerTokenAuthenticator(async (token, audiences) => tokens(token, audiences));
    expect(await slow(new FakeIncoming({ headers: { authorization: 'Bearer x' } }))).toEqual(
      failed('invalid bearer token'),
    );
  });

  it('is empty after two spaces', () => {
    expect(['Bearer  x', 'Bearer x', 'Bearer  ', 'Basic  x'].map(hasSpacedToken)).toEqual([true, false, false, false]);
  });
});

describe('a token in a subprotocol', () => {
  const authenticate = webSocketTokenAuthenticator(tokens);
  const prefix = 'base64url.bearer.authorization.k8s.io.';
  const good = `${prefix}${encodeBase64(encodeUtf8('good')).replaceAll('=', '')}`;
  const upgrade = { upgrade: 'WebSocket', connection: 'keep-alive, Upgrade' };
  it.each<[string, Readonly<Record<string, string>>, AuthenticationResult]>([
    ['beside another protocol', { ...upgrade, 'sec-websocket-protocol': `${good}, v4` }, ok('tom')],
    ['alone', { ...upgrade, 'sec-websocket-protocol': good }, failed('missing additional subprotocol')],
    [
      'twice',
      { ...upgrade, 'sec-websocket-protocol': `${good}, ${good}, v4` },
      failed('multiple base64.bearer.authorization tokens specified'),
    ],
    [
      'that is not base64',
      { ...upgrade, 'sec-websocket-protocol': `${prefix}Zg==, v4` },
      failed('invalid base64.bearer.authorization token encoding'),
    ],
    [
      'that is not text',
      { ...upgrade, 'sec-websocket-protocol': `${prefix}_w, v4` },
      failed('invalid base64.bearer.authorization token'),
    ],
    ['that is unknown', { ...upgrade, 'sec-websocket-protocol': `${prefix}Zg, v4` }, failed('invalid bearer token')],
    ['that is not there', { ...upgrade, 'sec-websocket-protocol': 'v4' }, NOT_RECOGNIZED],
    ['of a request that is not an upgrade', { 'sec-websocket-protocol': `${good}, v4` }, NOT_RECOGNIZED],
  ])('%s', (_, headers, expected) => {
    expect(authenticate(new FakeIncoming({ headers }))).toEqual(expected);
  });
});

describe('anonymous', () => {
  it('accepts every request, or only those to the paths', () => {
    expect(anonymousAuthenticator()(new FakeIncoming())).toEqual(ok('system:anonymous', ['system:unauthenticated']));
    const some = anonymousAuthenticator(['/livez']);
    expect(some(new FakeIncoming({ target: '/livez?verbose' }))).toMatchObject({ outcome: 'ok' });
    expect(some(new FakeIncoming({ target: '/livez/ping' }))).toBe(NOT_RECOGNIZED);
  });
});

describe('a union', () => {
  it('calls authenticators in order until one recognizes the request', () => {
    const asked: number[] = [];
    const one = (i: number, result: AuthenticationResult) => () => {
      asked.push(i);
      return result;
    };
    const union = unionAuthenticator([one(0, NOT_RECOGNIZED), one(1, failed('a')), one(2, ok('u')), one(3, ok('v'))]);
    expect(union(new FakeIncoming())).toEqual(ok('u'));
    expect(asked).toEqual([0, 1, 2]);
  });

  it('fails with every distinct message if none recognizes the request', async () => {
    const all = [failed('a'), NOT_RECOGNIZED, failed('b'), failed('a')];
    const sync = unionAuthenticator(all.map((result) => () => result));
    const async = unionAuthenticator(all.map((result) => () => Promise.resolve(result)));
    expect(atOnce(sync(new FakeIncoming()))).toEqual(failed('[a, b]'));
    expect(await async(new FakeIncoming())).toEqual(failed('[a, b]'));
    expect(unionAuthenticator([() => failed('a')])(new FakeIncoming())).toEqual(failed('a'));
    expect(unionAuthenticator([])(new FakeIncoming())).toBe(NOT_RECOGNIZED);
  });

  it('of token authenticators passes on the audiences', async () => {
    const seen: unknown[] = [];
    const union = unionTokenAuthenticator([
      async () => NOT_RECOGNIZED,
      (token, audiences) => {
        seen.push(token, audiences);
        return ok('t');
      },
    ]);
    expect(await union('x', ['aud'])).toEqual(ok('t'));
    expect(seen).toEqual(['x', ['aud']]);
  });

  it('adds system:authenticated, but not to anonymous users and not twice', () => {
    const groupsOf = (name: string, groups: readonly string[]): readonly string[] => {
      const authenticate = createAuthenticator({ authenticators: [() => ok(name, groups)] });
      const result = atOnce(authenticate(new FakeIncoming()));
      return result.outcome === 'ok' ? result.user.groups : [];
    };
    expect(groupsOf('u', ['a'])).toEqual(['a', 'system:authenticated']);
    expect(groupsOf('u', ['system:authenticated', 'a'])).toEqual(['system:authenticated', 'a']);
    expect(groupsOf('u', ['system:unauthenticated'])).toEqual(['system:unauthenticated']);
    expect(groupsOf('system:anonymous', ['a'])).toEqual(['a']);
  });

  it('never makes a request with a wrong credential anonymous', async () => {
    const anonymous = anonymousAuthenticator();
    const with_ = (result: AuthenticationResult) => createAuthenticator({ authenticators: [() => result], anonymous });
    expect(with_(failed('a'))(new FakeIncoming())).toEqual(failed('a'));
    expect(with_(NOT_RECOGNIZED)(new FakeIncoming())).toMatchObject({ user: { name: 'system:anonymous' } });
    const slow = createAuthenticator({ authenticators: [async () => NOT_RECOGNIZED], anonymous });
    expect(await slow(new FakeIncoming())).toMatchObject({ user: { name: 'system:anonymous' } });
  });
});
