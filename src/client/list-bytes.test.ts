import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import { isTransportError } from '../base/errors.ts';
import { splitList } from './list-bytes.ts';
import { readPageBytes } from './list-page.ts';
import { scripted, text } from './scripted-transport.fixtures.ts';

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

describe('a page whose items a decoder makes from their bytes', () => {
  const call = { method: 'GET', target: '/x' };

  it('has the facts of its list', async () => {
    const { transport } = scripted(
      text('{"items":[{"a":1},{"b":2}],"metadata":{"resourceVersion":"7","continue":"T","remainingItemCount":9}}'),
    );
    expect(await readPageBytes(transport, call, decodeUtf8)).toEqual({
      items: ['{"a":1}', '{"b":2}'],
      resourceVersion: '7',
      continueToken: 'T',
      remainingItemCount: 9,
    });
  });

  it.each(['{"items":[1]}', '{"items":[],"metadata":1}', 'nothing'])('fails for %s', async (body) => {
    const { transport } = scripted(text(body));
    expect(isTransportError(await readPageBytes(transport, call, decodeUtf8).catch((caught) => caught))).toBe(true);
  });
});
