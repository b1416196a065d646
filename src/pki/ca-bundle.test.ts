import { describe, expect, test } from 'vitest';
import { encodeBase64 } from '../base/base64.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { systemClock } from '../base/clock.ts';
import { checkCaBundle } from './ca-bundle.ts';
import { createCa } from './certificates.ts';
import { writeSequence } from './der.ts';
import { formatPem } from './pem.ts';

const bundle = (text: string): string => encodeBase64(encodeUtf8(text));

describe('a CA bundle', () => {
  test('is valid with one readable certificate', async () => {
    const { certificatePem } = await createCa({ commonName: 'ca', clock: systemClock });
    expect(checkCaBundle(bundle(certificatePem))).toBeUndefined();
    expect(checkCaBundle(bundle(`${formatPem('CERTIFICATE', encodeUtf8('no'))}${certificatePem}`))).toBeUndefined();
  });

  test.each([
    ['no PEM', 'nope', 'unable to load root certificates: unable to parse bytes as PEM block'],
    [
      'another block',
      formatPem('PUBLIC KEY', encodeUtf8('x')),
      'unable to load root certificates: no valid certificate authority data seen',
    ],
    [
      'a damaged certificate',
      formatPem('CERTIFICATE', encodeUtf8('x')),
      'unable to load root certificates: failed to parse certificate: x509: malformed certificate',
    ],
    [
      'a damaged part',
      formatPem('CERTIFICATE', writeSequence(writeSequence())),
      'unable to load root certificates: failed to parse certificate: x509: malformed serial number',
    ],
  ])('is refused with %s', (_, text, message) => {
    expect(checkCaBundle(bundle(text))).toBe(message);
  });
});
