/** The elliptic curves of certificates: the NIST curves that Go's x509 knows. */
import { unsignedNumber } from './der-reader.ts';

export interface Curve {
  /** Web Crypto's name; Web Crypto has no P-224. */
  readonly name: 'P-224' | 'P-256' | 'P-384' | 'P-521';
  /** The length of a coordinate, and of each half of a signature, in bytes. */
  readonly size: number;
  readonly prime: bigint;
  /** The coefficient b of y² = x³ - 3x + b. */
  readonly b: bigint;
}

/** By object identifier. The constants are those of SP 800-186, 3.2.1. */
export const CURVES: ReadonlyMap<string, Curve> = new Map<string, Curve>([
  [
    '1.3.132.0.33',
    {
      name: 'P-224',
      size: 28,
      prime: 2n ** 224n - 2n ** 96n + 1n,
      b: 0xb4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4n,
    },
  ],
  [
    '1.2.840.10045.3.1.7',
    {
      name: 'P-256',
      size: 32,
      prime: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
      b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
    },
  ],
  [
    '1.3.132.0.34',
    {
      name: 'P-384',
      size: 48,
      prime: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
      b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
    },
  ],
  [
    '1.3.132.0.35',
    {
      name: 'P-521',
      size: 66,
      prime: 2n ** 521n - 1n,
      b: 0x0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
    },
  ],
]);

/** Checks an uncompressed point. Returns undefined if it lies on the curve, otherwise Go's message. */
export function pointProblem(curve: Curve, point: Uint8Array): string | undefined {
  if (point[0] !== 4) return 'ecdsa: invalid uncompressed public key';
  const name = curve.name.replace('-', '');
  if (point.length !== 1 + 2 * curve.size) return `invalid ${name} point encoding`;
  const x = unsignedNumber(point.subarray(1, 1 + curve.size));
  const y = unsignedNumber(point.subarray(1 + curve.size));
  if (x >= curve.prime || y >= curve.prime)
    return curve.name === 'P-256' ? 'invalid P256 element encoding' : `invalid ${name}Element encoding`;
  return (y * y - x * x * x + 3n * x - curve.b) % curve.prime === 0n ? undefined : `${name} point not on curve`;
}
