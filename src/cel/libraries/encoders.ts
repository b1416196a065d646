/**
 * Base64: the library `cel.lib.ext.encoders`. The reference's environments do not have it.
 */
import { decodeBase64, encodeBase64 } from '../../base/base64.ts';
import type { Library } from '../library.ts';
import { BYTES, STRING } from '../types.ts';
import { CelError, type Value } from '../values.ts';
import { declare, overload } from './declare.ts';

/** Padding may be left out. */
function decode(text: Value): Uint8Array {
  const encoded = text as string;
  const bytes = decodeBase64(encoded) ?? decodeBase64(encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '='));
  if (bytes === undefined) throw new CelError('illegal base64 data');
  return bytes;
}

export const ENCODERS_LIBRARY: Library = {
  name: 'cel.lib.ext.encoders',
  functions: [
    declare('base64.decode', overload('base64_decode_string', [STRING], BYTES, decode)),
    declare(
      'base64.encode',
      overload('base64_encode_bytes', [BYTES], STRING, (bytes) => encodeBase64(bytes as Uint8Array)),
    ),
  ],
};
