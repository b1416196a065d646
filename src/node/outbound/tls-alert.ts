/** The alerts with which a TLS server ends a connection (RFC 8446, 6.2), in the words of Go's crypto/tls. */

const ALERTS: Readonly<Record<string, string>> = {
  10: 'unexpected message',
  20: 'bad record MAC',
  22: 'record overflow',
  40: 'handshake failure',
  42: 'bad certificate',
  43: 'unsupported certificate',
  44: 'revoked certificate',
  45: 'expired certificate',
  46: 'unknown certificate',
  47: 'illegal parameter',
  48: 'unknown certificate authority',
  49: 'access denied',
  50: 'error decoding message',
  51: 'error decrypting message',
  70: 'protocol version not supported',
  71: 'insufficient security level',
  80: 'internal error',
  86: 'inappropriate fallback',
  90: 'user canceled',
  109: 'missing extension',
  110: 'unsupported extension',
  112: 'unrecognized name',
  115: 'unknown PSK identity',
  116: 'certificate required',
  120: 'no application protocol',
};
/** OpenSSL ends its message with the number. */
const NUMBER = /SSL alert number (\d+)\s*$/;

/** Returns `remote error: tls: certificate required`, for example; undefined for an error that is not an alert. */
export function describeTlsAlert(error: Error): string | undefined {
  const number = NUMBER.exec(error.message)?.[1];
  if (number === undefined) return undefined;
  return `remote error: tls: ${ALERTS[number] ?? `alert(${number})`}`;
}
