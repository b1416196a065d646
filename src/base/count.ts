/** Numbers of things in messages. */

/** `1 key`, `2 keys`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
