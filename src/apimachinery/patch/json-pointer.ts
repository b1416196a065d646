/** JSON pointers (RFC 6901). Invariant: `parseJsonPointer(formatJsonPointer(tokens))` is `tokens`. */

/** The tokens of a pointer; undefined if it is neither empty nor begins with `/`, or if a `~` is followed by neither 0 nor 1. */
export function parseJsonPointer(pointer: string): string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined;
  return pointer.slice(1).split('/').map(unescapePointerToken);
}

export function formatJsonPointer(tokens: readonly (string | number)[]): string {
  let pointer = '';
  for (const token of tokens) pointer += `/${escapePointerToken(String(token))}`;
  return pointer;
}

export function escapePointerToken(token: string): string {
  return /[~/]/.test(token) ? token.replaceAll('~', '~0').replaceAll('/', '~1') : token;
}

/** Lenient: a `~` that begins no escape stays as it is. */
export function unescapePointerToken(token: string): string {
  return token.includes('~') ? token.replace(/~[01]/g, (pair) => (pair === '~1' ? '/' : '~')) : token;
}
