import { describe, expect, test } from 'vitest';
import { formatIssue } from '../../../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { secretTable, secretWarnings, setSecretDefaults, validateSecret, validateSecretUpdate } from './secret.ts';

const metadata = { name: 'a', namespace: 'b' };
const base64 = (text: string) => Buffer.from(text).toString('base64');
const complaints = (object: JsonObject) => validateSecret({ metadata, ...object }).map(formatIssue);

describe('a Secret', () => {
  test('has the type Opaque by default', () => {
    const secret: JsonObject = { metadata };
    setSecretDefaults(secret);
    expect(secret['type']).toBe('Opaque');
  });

  test('has its stringData merged over data, sorted by key', () => {
    const secret: JsonObject = {
      metadata,
      data: { z: base64('old'), b: base64('b') },
      stringData: { z: 'new', a: 'a' },
    };
    setSecretDefaults(secret);
    setSecretDefaults(secret);
    expect(Object.entries(secret['data'] as JsonObject)).toEqual([
      ['a', base64('a')],
      ['b', base64('b')],
      ['z', base64('new')],
    ]);
    expect(Object.keys(secret)).toEqual(['metadata', 'data', 'type']);
  });

  test.each([
    [
      'kubernetes.io/service-account-token',
      ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
    ],
    ['kubernetes.io/dockercfg', ['data[.dockercfg]: Required value']],
    ['kubernetes.io/dockerconfigjson', ['data[.dockerconfigjson]: Required value']],
    ['kubernetes.io/basic-auth', ['data[username]: Required value', 'data[password]: Required value']],
    ['kubernetes.io/ssh-auth', ['data[ssh-privatekey]: Required value']],
    ['kubernetes.io/tls', ['data[tls.crt]: Required value', 'data[tls.key]: Required value']],
    ['anything/else', []],
  ])('of type %s must have the required keys', (type, expected) => {
    expect(complaints({ type })).toEqual(expected);
  });

  test('of type basic-auth may have a user without a password', () => {
    expect(complaints({ type: 'kubernetes.io/basic-auth', data: { username: '' } })).toEqual([]);
  });

  test('of a docker type holds a JSON object, which no message shows', () => {
    const check = (text: string) =>
      complaints({ type: 'kubernetes.io/dockercfg', data: { '.dockercfg': base64(text) } });
    expect(check('{}')).toEqual([]);
    expect(check('{')).toEqual([
      'data[.dockercfg]: Invalid value: "<secret contents redacted>": unexpected end of JSON input',
    ]);
    expect(check('[]')).toEqual([
      'data[.dockercfg]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}',
    ]);
  });

  test('never changes its type', () => {
    const stored = { metadata: { ...metadata, resourceVersion: '1' }, type: 'a' };
    expect(validateSecretUpdate({ ...stored, type: 'b' }, stored).map(formatIssue)).toEqual([
      'type: Invalid value: "b": field is immutable',
    ]);
  });

  test('of type TLS with a key that does not match is stored with a warning', () => {
    const warn = (crt: string, key: string) =>
      secretWarnings({ type: 'kubernetes.io/tls', data: { 'tls.crt': base64(crt), 'tls.key': base64(key) } });
    expect(warn('x', 'y')).toEqual(['tls: failed to find any PEM data in certificate input']);
    const key = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';
    expect(warn(key, key)).toEqual([
      'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
    ]);
    expect(secretWarnings({ type: 'Opaque', data: {} })).toEqual([]);
  });

  test('shows its type and the number of its keys in a table', () => {
    expect(secretTable().cells({ metadata, type: 'Opaque', data: { a: '' } }, 0)).toEqual([
      'a',
      'Opaque',
      1,
      '<unknown>',
    ]);
  });
});
