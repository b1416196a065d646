import { describe, expect, it } from 'vitest';
import { decodeEnvelope, type Envelope, encodeEnvelope, hasEnvelopePrefix } from './envelope.ts';

const pod: Envelope = {
  apiVersion: 'v1',
  kind: 'Pod',
  raw: Uint8Array.of(0x0a, 0x00),
  contentEncoding: '',
  contentType: '',
};

describe('the envelope', () => {
  it('has the bytes of the reference', () => {
    expect([...encodeEnvelope(pod)]).toEqual([
      ...[0x6b, 0x38, 0x73, 0x00],
      ...[0x0a, 9, 0x0a, 2, 0x76, 0x31, 0x12, 3, 0x50, 0x6f, 0x64],
      ...[0x12, 2, 0x0a, 0x00],
      ...[0x1a, 0],
      ...[0x22, 0],
    ]);
  });

  it('decodes what it encodes and returns the offset of the content', () => {
    const full = { ...pod, contentEncoding: 'gzip', contentType: 'application/json' };
    const decoded = decodeEnvelope(Uint8Array.from(encodeEnvelope(full)), 1000);
    expect(decoded).toEqual({ ok: true, envelope: full, rawOffset: 1000 + 4 + 11 + 2 });
  });

  it('takes absent fields for empty ones and ignores unknown ones', () => {
    const bytes = Uint8Array.of(0x6b, 0x38, 0x73, 0x00, 0x28, 1, 0x0a, 2, 0x18, 1);
    const empty = { apiVersion: '', kind: '', contentEncoding: '', contentType: '', raw: new Uint8Array(0) };
    expect(decodeEnvelope(bytes)).toEqual({ ok: true, envelope: empty, rawOffset: 10 });
  });

  it('is recognised by its first four bytes', () => {
    expect(hasEnvelopePrefix(encodeEnvelope(pod))).toBe(true);
    expect(hasEnvelopePrefix(Uint8Array.of(0x6b, 0x38, 0x73))).toBe(false);
    expect(decodeEnvelope(Uint8Array.of(0x7b, 0x7d), 7)).toEqual({
      ok: false,
      error: { message: 'the bytes do not begin with k8s\\0', offset: 7 },
    });
  });

  it('is refused when cut anywhere but between its fields', () => {
    const bytes = encodeEnvelope(pod);
    const between = new Set([4, 15, 19, 21, 23]);
    for (let cut = 4; cut <= bytes.length; cut++) {
      expect(decodeEnvelope(bytes.subarray(0, cut)).ok, `cut at ${cut}`).toBe(between.has(cut));
    }
  });

  it('refuses a field that is not bytes', () => {
    const bytes = Uint8Array.of(0x6b, 0x38, 0x73, 0x00, 0x10, 1);
    expect(decodeEnvelope(bytes)).toEqual({
      ok: false,
      error: { message: 'wire type 0 for field 2 of the envelope', offset: 5 },
    });
  });
});
