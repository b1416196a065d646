import { describe, expect, it } from 'vitest';
import { readTrailers } from './trailers.ts';

describe('the trailers of a response', () => {
  it('keep all values of a name, in lower case', () => {
    expect(readTrailers(['X-A', '1', 'x-b', '2', 'x-a', '3'])).toEqual({ 'x-a': ['1', '3'], 'x-b': '2' });
  });

  it('do not frame a message or belong to a connection', () => {
    const raw = [
      'Content-Length',
      '3',
      'Transfer-Encoding',
      'chunked',
      'Trailer',
      'x-a',
      'Connection',
      'x-b',
      'x-b',
      '1',
    ];
    expect(readTrailers(raw)).toBeUndefined();
    expect(readTrailers([...raw, 'x-a', '2'])).toEqual({ 'x-a': '2' });
  });

  it('are undefined if there are none', () => {
    expect(readTrailers([])).toBeUndefined();
  });
});
