import { describe, expect, it } from 'vitest';
import { isBugError } from '../../base/errors.ts';
import { formatWarningHeader, WarningRecorder } from './warning-header.ts';

/** Decodes a header as a client does that reads UTF-8. */
function decode(header: string | undefined): string | undefined {
  return header === undefined ? undefined : new TextDecoder().decode(Uint8Array.from(header, (c) => c.charCodeAt(0)));
}

describe('a warning header', () => {
  it.each([
    [299, '', 'hello', '299 - "hello"'],
    [1, '', '', '001 - ""'],
    [299, 'me', 'a "b" \\c', '299 me "a \\"b\\" \\\\c"'],
    [299, 'é', 'naïve 😀 "x"', '299 é "naïve 😀 \\"x\\""'],
  ])('of %d %j %j', (code, agent, text, expected) => {
    expect(decode(formatWarningHeader(code, agent, text))).toBe(expected);
  });

  it('contains UTF-8 as bytes, so that every listener can send it', () => {
    expect(formatWarningHeader(299, '', 'é')).toBe('299 - "Ã©"');
  });

  it.each(['a\nb', 'a\r\nset-cookie: x', 'a\u0000', 'a\u007f', 'a\u0085', '\ud800'])('refuses the text %j', (text) => {
    expect(formatWarningHeader(299, '', text)).toBeUndefined();
  });

  it.each(['a b', 'a"', 'a\\', 'a\t', 'a\u3000', '\udc00'])('refuses the agent %j', (agent) => {
    expect(formatWarningHeader(299, agent, 'x')).toBeUndefined();
  });

  it.each([-1, 1000, 1.5])('throws a BugError for the code %d', (code) => {
    expect(() => formatWarningHeader(code, '', 'x')).toThrow(expect.toSatisfy(isBugError));
  });
});

describe('the warnings of an answer', () => {
  function recorded(...texts: readonly string[]): readonly string[] {
    const recorder = new WarningRecorder();
    for (const text of texts) recorder.add(text);
    return recorder.headers;
  }
  const long = (letter: string, length = 2000): string => letter.repeat(length);

  it('keep their order and are not repeated', () => {
    expect(recorded('b', 'a', '', 'b', 'bad\n')).toEqual(['299 - "b"', '299 - "a"']);
  });

  it('name their agent', () => {
    const recorder = new WarningRecorder();
    recorder.add('x', 'hook');
    expect(recorder.headers).toEqual(['299 hook "x"']);
  });

  it('are not shortened up to 4,096 characters together', () => {
    expect(recorded(long('a'), long('b'), long('c', 96))).toEqual(
      [long('a'), long('b'), long('c', 96)].map((text) => `299 - "${text}"`),
    );
  });

  it('are all shortened to 256 characters above that', () => {
    const headers = recorded('short', long('a'), long('b'), long('c', 97), long('d'));
    expect(headers).toEqual(
      ['short', long('a', 256), long('b', 256), long('c', 97), long('d', 256)].map((text) => `299 - "${text}"`),
    );
  });

  it('are shortened between characters', () => {
    const headers = recorded('😀'.repeat(5000));
    expect(headers.map(decode)).toEqual([`299 - "${'😀'.repeat(256)}"`]);
  });

  it('are ignored once the shortened ones reach the limit', () => {
    const headers = recorded(long('a', 5000), ...Array.from({ length: 40 }, (_, i) => `${i} ${long('x')}`));
    expect(headers).toHaveLength(16);
  });

  it('are not shortened because of a text that cannot be sent', () => {
    expect(recorded(long('a'), `${long('b', 4000)}\n`)).toEqual([`299 - "${long('a')}"`]);
  });
});
