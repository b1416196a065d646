import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { texts } from '../../shared/issues.fixtures.ts';
import {
  validateStorageVersionMigration,
  validateStorageVersionMigrationStatusUpdate,
} from './storage-version-migration.ts';

describe('StorageVersionMigration', () => {
  const metadata = { name: 'm', resourceVersion: '1' };

  it('requires a resource', () => {
    expect(texts(validateStorageVersionMigration({ metadata, spec: { resource: {} } }))).toEqual([
      'spec.resource.resource: Required value: resource is required to be set',
    ]);
  });

  it('rejects the removal of a terminal condition', () => {
    const ended = (type: string): JsonObject => ({
      metadata,
      status: {
        resourceVersion: '12',
        conditions: [{ type, status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      },
    });
    const issues = validateStorageVersionMigrationStatusUpdate(ended('Failed'), ended('Succeeded'));
    expect(issues.map(({ detail }) => detail)).toEqual(['Success condition cannot be set to false once it is true']);
  });
});
