/** The match of a request path against the non-resource URLs of a policy rule. */

/**
 * Returns true if the path equals the rule's URL, or if the URL ends with `*` and the path starts with the rest of it.
 */
export function urlMatches(url: string, path: string): boolean {
  return url === path || (url.endsWith('*') && path.startsWith(trimStars(url)));
}

/** Removes every `*` at the end of the text. */
export function trimStars(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x2a) end--;
  return text.slice(0, end);
}
