/** SHA-256 of texts by the platform's crypto. */
import * as crypto from 'node:crypto';

/** Returns the digest in base64. Node before 20.12 has no one-shot hash, which takes a third of the time. */
export function hashText(text: string): string {
  return crypto.hash === undefined
    ? crypto.createHash('sha256').update(text).digest('base64')
    : crypto.hash('sha256', text, 'base64');
}
