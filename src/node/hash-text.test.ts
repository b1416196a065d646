import { describe, expect, it } from 'vitest';
import { encodeBase64 } from '../base/base64.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { sha256 } from '../base/sha256.ts';
import { hashText } from './hash-text.ts';

describe('hashText', () => {
  it.each(['', 'a', 'ä€😀', 'x'.repeat(1000)])('is the SHA-256 of the UTF-8 bytes: %#', (text) => {
    expect(hashText(text)).toBe(encodeBase64(sha256(encodeUtf8(text))));
  });
});
