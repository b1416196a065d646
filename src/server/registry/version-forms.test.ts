import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import { thingDefinition } from './thing.fixtures.ts';
import { VersionForms } from './version-forms.ts';

describe('the description of stored values', () => {
  const { describe: describeValue } = new VersionForms(thingDefinition());
  const reasonOf = (text: string): unknown => describeValue(encodeUtf8(text), 'registry/things/a');

  it('says that a value is encrypted, by which provider and with which key', () => {
    expect(reasonOf('k8s:enc:aesgcm:v1:key1:abc')).toEqual({
      reason: 'it is encrypted by aesgcm with the key "key1" (give --encryption-provider-config)',
    });
  });

  it('says why another value is not an object', () => {
    expect(reasonOf('[]')).toEqual({ reason: 'it is not a JSON object' });
  });
});
