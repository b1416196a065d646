import { describe, expect, it } from 'vitest';
import { escapeExtraKey, unescapeExtraKey } from '../../server/filters/authentication/extra-key.ts';
import { headerBytes, headerText } from '../../server/filters/authentication/header-text.ts';
import { isUserHeader, type MutableHeaders, setUserHeaders } from './user-headers.ts';

describe('the headers of a user', () => {
  it('are UTF-8, and keys of extra are escaped', () => {
    const headers: MutableHeaders = {};
    setUserHeaders(headers, {
      name: 'zoë',
      uid: '',
      groups: ['a', 'b'],
      extra: { 'Example.com/é %': ['1', '2'], none: [] },
    });
    expect(headers).toEqual({
      'x-remote-user': 'zo\u00c3\u00ab',
      'x-remote-group': ['a', 'b'],
      'x-remote-extra-example.com%2f%c3%a9%20%25': ['1', '2'],
    });
  });

  it('are read as they were written', () => {
    for (const text of ['ada', 'zoë', '名', '%41', "a!#$&'*+-.^_`|~", 'a/b c'])
      expect([headerText(headerBytes(text)), unescapeExtraKey(escapeExtraKey(text))]).toEqual([text, text]);
  });

  it('are recognized in every spelling', () => {
    for (const name of ['x-remote-user', 'x_remote_user', 'x-remote_uid', 'x_remote-group', 'x_remote_extra_a'])
      expect(isUserHeader(name)).toBe(true);
    for (const name of ['x-remote', 'x-remote-users', 'x-remote-addr', 'remote-user', 'xx-remote-user', 'x-request-id'])
      expect(isUserHeader(name)).toBe(false);
  });
});
