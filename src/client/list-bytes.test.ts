import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import { splitList } from './list-bytes.ts';

function split(text: string): unknown {
  const result = splitList(encodeUtf8(text));
  return result.ok ? [decodeUtf8(result.envelope), ...result.items.map(decodeUtf8)] : result.message;
}

describe('the items of a list', () => {
  it('are split from its bytes', () => {
    expect(split('{"kind":"L","metadata":{"items":[0]},"items":[{"a":"]}\\"{"},{"b":[{}]}]}\n')).toEqual([
      '{"kind":"L","metadata":{"items":[0]},"items":[]}\n',
      '{"a":"]}\\"{"}',
      '{"b":[{}]}',
    ]);
    expect(split('{ "items" : [ {} , {} ] , "metadata" : {} }')).toEqual([
      '{ "items" : [] , "metadata" : {} }',
      '{}',
      '{}',
    ]);
  });

  it('may be missing', () => {
    for (const text of ['{"items":[]}', '{"items":null}', '{"kind":"items"}', '{}', ''])
      expect(split(text)).toEqual([text]);
  });

  it('must be objects, and must end', () => {
    expect(split('{"items":[1]}')).toBe('an item is not an object');
    for (const text of ['{"items":[{"a":1}', '{"items":[{"a', '{"items":[', '{"items":[}]}'])
      expect(split(text)).toBe('its items do not end');
  });
});
