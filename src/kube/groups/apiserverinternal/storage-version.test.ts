import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { texts } from '../../shared/issues.fixtures.ts';
import { validateStorageVersion, validateStorageVersionStatus } from './storage-version.ts';

describe('StorageVersion', () => {
  it('must be named <group>.<resource>', () => {
    expect(validateStorageVersion({ metadata: { name: 'g.example.rs' } })).toEqual([]);
    expect(texts(validateStorageVersion({ metadata: { name: 'nodot' } }))).toEqual([
      'metadata.name: Invalid value: "nodot": name must be in the form of <group>.<resource>',
    ]);
  });

  it('must have the commonEncodingVersion that all servers agree on, and none if they do not', () => {
    const server = (apiServerID: string, encodingVersion: string): JsonObject => ({
      apiServerID,
      encodingVersion,
      decodableVersions: [encodingVersion],
    });
    const status = { storageVersions: [server('a', 'v1'), server('b', 'v2')], commonEncodingVersion: 'v1' };
    expect(texts(validateStorageVersionStatus({ status }))).toEqual([
      'status.commonEncodingVersion: Invalid value: "v1": should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet',
    ]);
    expect(texts(validateStorageVersionStatus({ status: { storageVersions: [server('a', 'v1')] } }))).toEqual([
      'status.commonEncodingVersion: Invalid value: null: the common encoding version is v1',
    ]);
  });
});
