import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import type { Entry } from './cache.ts';
import { describeJson } from './describe-json.ts';
import { makeEntry, storedBytes, withRevision } from './entry.ts';

const json = describeJson();
const entry = (text: string, revision = 7): Entry => makeEntry(json, 'a/b', revision, encodeUtf8(text));

describe('an entry', () => {
  it('has the stored bytes with the resourceVersion in front of the other metadata', () => {
    const made = entry('{"kind":"A","metadata":{"name":"x"}}', 1234567890123);
    expect(decodeUtf8(made.bytes)).toBe('{"kind":"A","metadata":{"resourceVersion":"1234567890123","name":"x"}}');
    expect(made.broken).toBeUndefined();
  });

  it('has no comma if metadata is empty', () => {
    expect(decodeUtf8(entry('{"metadata":{ }}').bytes)).toBe('{"metadata":{ "resourceVersion":"7"}}');
  });

  it('gives back the stored bytes for every revision and offset', () => {
    for (const text of [
      '{"metadata":{}}',
      '{"metadata":{"name":"x"}}',
      `{"a":"${'x'.repeat(300)}","metadata":{"n":1}}`,
    ]) {
      for (const revision of [1, 9, 10, 99, 100, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
        const made = entry(text, revision);
        expect(decodeUtf8(storedBytes(made))).toBe(text);
        expect(JSON.parse(decodeUtf8(made.bytes)).metadata.resourceVersion).toBe(String(revision));
      }
    }
  });

  it('keeps its bytes in an allocation of exactly their size', () => {
    const made = entry('{"metadata":{"name":"x"}}');
    expect(made.bytes.buffer.byteLength).toBe(made.bytes.byteLength);
  });

  it('takes another revision without changing anything else', () => {
    const old = entry('{"metadata":{"labels":{"a":"b"},"name":"x"}}', 9);
    const dead = withRevision(old, 10);
    expect(decodeUtf8(dead.bytes)).toBe('{"metadata":{"resourceVersion":"10","labels":{"a":"b"},"name":"x"}}');
    expect(dead.facts).toBe(old.facts);
    expect(decodeUtf8(old.bytes)).toContain('"resourceVersion":"9"');
  });

  it('is broken if the value cannot be described, and its error has the key', () => {
    const made = entry('nonsense');
    expect(made.broken).toMatchObject({ code: 'Corrupt', key: 'a/b' });
    expect(made.broken?.message).toContain('"a/b"');
    expect(decodeUtf8(storedBytes(made))).toBe('nonsense');
    expect(withRevision(made, 8)).toMatchObject({ revision: 8, broken: made.broken });
  });

  it('is broken if describing throws or returns an offset outside of the value', () => {
    const value = encodeUtf8('{}');
    const throwing = makeEntry(
      () => {
        throw new TypeError('boom');
      },
      'a/b',
      1,
      value,
    );
    expect(throwing.broken?.message).toContain('boom');
    expect(makeEntry(() => ({ facts: made().facts, splice: 9 }), 'a/b', 1, value).broken?.code).toBe('Corrupt');
    function made(): Entry {
      return entry('{"metadata":{}}');
    }
  });
});
