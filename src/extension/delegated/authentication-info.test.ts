import { describe, expect, it } from 'vitest';
import { parseAuthenticationInfo } from './authentication-info.ts';

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
