import { describe, expect, it } from 'vitest';
import { TransportError } from '../../base/errors.ts';
import { createClient } from '../../client/create-client.ts';
import { createInformerSet } from '../../client/informer-set.ts';
import { followAuthenticationInfo, parseAuthenticationInfo } from './authentication-info.ts';
import { fakeParent, refusal } from './parent.fixtures.ts';

const CONFIG_MAP = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';

describe('a parent that does not publish its authentication', () => {
  const follow = (answer: () => unknown): Promise<unknown> => {
    const { transport } = fakeParent({ [`GET ${CONFIG_MAP}`]: answer });
    return followAuthenticationInfo({
      client: createClient(transport),
      informers: createInformerSet({ transport }),
      onChange: () => undefined,
      onProblem: () => undefined,
    });
  };

  it.each([
    [403, 'Forbidden', 'bind its user to the role extension-apiserver-authentication-reader'],
    [401, 'Unauthorized', 'a token may have expired'],
    [404, 'NotFound', 'of the parent: NotFound'],
  ])('is a ConfigError that says what to do after a %i', async (code, reason, advice) => {
    await expect(follow(() => refusal(code, reason))).rejects.toMatchObject({
      keelsonError: 'ConfigError',
      message: expect.stringContaining(advice),
    });
  });

  it('is a TransportError that names the ConfigMap if it cannot be reached', async () => {
    const refused = follow(() => {
      throw new TransportError('connection refused');
    });
    await expect(refused).rejects.toMatchObject({
      keelsonError: 'TransportError',
      message:
        'cannot read the ConfigMap kube-system/extension-apiserver-authentication of the parent: connection refused',
    });
  });
});

describe('the published authentication', () => {
  it('is read with its CAs, names and headers', () => {
    const data = {
      'client-ca-file': 'CLIENT',
      'requestheader-client-ca-file': 'PROXY',
      'requestheader-allowed-names': '["front-proxy-client"]',
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
    };
    expect(parseAuthenticationInfo(data)).toEqual({
      clientCa: 'CLIENT',
      requestHeader: {
        ca: 'PROXY',
        allowedNames: ['front-proxy-client'],
        username: ['X-Remote-User'],
        group: ['X-Remote-Group'],
        extraPrefix: ['X-Remote-Extra-'],
        uid: ['X-Remote-Uid'],
      },
    });
  });

  it('may lack the proxy, the names and the uid', () => {
    expect(parseAuthenticationInfo({ 'client-ca-file': 'C' })).toEqual({ clientCa: 'C', requestHeader: undefined });
    expect(
      parseAuthenticationInfo({ 'requestheader-client-ca-file': 'P', 'requestheader-allowed-names': 'null' }),
    ).toEqual({
      clientCa: '',
      requestHeader: { ca: 'P', allowedNames: [], username: [], group: [], extraPrefix: [], uid: [] },
    });
  });

  it('is refused if a list is malformed', () => {
    const ca = { 'requestheader-client-ca-file': 'P' };
    expect(() => parseAuthenticationInfo({ ...ca, 'requestheader-group-headers': '[' })).toThrow('is not JSON');
    expect(() => parseAuthenticationInfo({ ...ca, 'requestheader-group-headers': '[1]' })).toThrow(
      'not a list of texts',
    );
  });
});
