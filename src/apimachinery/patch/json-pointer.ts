/** Tokens of JSON pointers (RFC 6901). Invariant: `unescapePointerToken(escapePointerToken(token))` is `token`. */

export function escapePointerToken(token: string): string {
  return /[~/]/.test(token) ? token.replaceAll('~', '~0').replaceAll('/', '~1') : token;
}

/** A `~` that does not begin an escape stays. */
export function unescapePointerToken(token: string): string {
  return token.includes('~') ? token.replace(/~[01]/g, (pair) => (pair === '~1' ? '/' : '~')) : token;
}
