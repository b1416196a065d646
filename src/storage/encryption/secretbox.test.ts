import { describe, expect, it } from 'vitest';
import { formatHex } from '../../base/bytes.ts';
import { poly1305 } from './poly1305.ts';
import { openSecretbox, sealSecretbox } from './secretbox.ts';

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));

// The example of NaCl's own tests (tests/secretbox.c).
const KEY = hex('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389');
const NONCE = hex('69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37');
const MESSAGE = hex(
  'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705',
);
const BOX =
  'f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5';

describe('secretbox', () => {
  it("makes and opens the box of NaCl's tests", () => {
    expect(formatHex(sealSecretbox(MESSAGE, NONCE, KEY))).toBe(BOX);
    expect(formatHex(openSecretbox(hex(BOX), NONCE, KEY))).toBe(formatHex(MESSAGE));
  });

  it('does not change the box that it opens, also if it is a Buffer', () => {
    const box = Buffer.from(BOX, 'hex');
    for (let i = 0; i < 2; i++) expect(formatHex(openSecretbox(box, NONCE, KEY))).toBe(formatHex(MESSAGE));
  });

  it('does not open a box that was changed', () => {
    const box = hex(BOX);
    for (const at of [0, 15, 16, box.length - 1]) {
      const changed = box.slice();
      changed[at]! ^= 0x80;
      expect(() => openSecretbox(changed, NONCE, KEY)).toThrow(/does not open/);
    }
  });

  it('opens boxes of every length', () => {
    for (const length of [0, 1, 31, 32, 33, 63, 64, 95, 96, 97, 1000]) {
      const message = new Uint8Array(length).fill(length & 0xff);
      expect(formatHex(openSecretbox(sealSecretbox(message, NONCE, KEY), NONCE, KEY))).toBe(formatHex(message));
    }
  });
});

describe('Poly1305', () => {
  // RFC 8439, section 2.5.2 and test vectors 7 to 11 of appendix A.3, which carry and wrap around.
  it.each([
    [
      '85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b',
      formatHex(new TextEncoder().encode('Cryptographic Forum Research Group')),
      'a8061dc1305136c6c22b8baf0c0127a9',
    ],
    [
      `0100000000000000000000000000000000${'0'.repeat(30)}`,
      `${'ff'.repeat(16)}f0${'ff'.repeat(15)}11${'00'.repeat(15)}`,
      '05000000000000000000000000000000',
    ],
    [
      `0200000000000000000000000000000000${'0'.repeat(30)}`,
      'ffffffffffffffffffffffffffffffff',
      '03000000000000000000000000000000',
    ],
  ])('of key %s is the tag of the RFC', (key, message, tag) => {
    expect(formatHex(poly1305(hex(key), hex(message)))).toBe(tag);
  });
});
