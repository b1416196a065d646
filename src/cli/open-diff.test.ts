import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../base/bytes.ts';
import { objectLines } from './open-diff.ts';

const bytes = (object: unknown): Uint8Array => encodeUtf8(JSON.stringify(object));

describe('the differences of two snapshots', () => {
  it('name added, removed and changed objects with their fields', () => {
    const key = 'registry/deployments/shop/web';
    const web = (replicas: number, manager: string) =>
      bytes({ metadata: { name: 'web', managedFields: [{ manager }] }, spec: { replicas, items: [{ a: 1 }] } });
    expect(objectLines(key, undefined, web(1, 'a'))).toEqual(['+ deployments/shop/web']);
    expect(objectLines(key, web(1, 'a'), undefined)).toEqual(['- deployments/shop/web']);
    expect(objectLines(key, web(1, 'a'), web(3, 'b'))).toEqual(['~ deployments/shop/web', '    spec.replicas: 1 -> 3']);
    expect(objectLines(key, web(1, 'a'), web(1, 'b'))).toEqual([]);
  });

  it('do not show the values of Secrets', () => {
    const secret = (password: string) =>
      bytes({ metadata: { name: 's', annotations: { x: password } }, data: { password } });
    const lines = objectLines('registry/secrets/shop/db', secret('old'), secret('new'));
    expect(lines).toEqual([
      '~ secrets/shop/db',
      '    metadata.annotations.x: (changed)',
      '    data.password: (changed)',
    ]);
  });
});
