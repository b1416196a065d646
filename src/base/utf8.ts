/** Facts about the UTF-8 form of a text that need no bytes. */

/** The order of the texts' UTF-8 bytes, which is that of their code points; it differs from `<` only beyond U+FFFF. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return surrogatesLast(x) - surrogatesLast(y);
  }
  return a.length - b.length;
}

/** From here on the order of UTF-16 is not that of UTF-8. */
const SURROGATES_AND_ABOVE = /[\ud800-\uffff]/;

/** Sorts in place by names, in the order of `compareUtf8`; names without rare characters are compared by the engine. */
export function sortByName<T>(items: T[], nameOf: (item: T) => string): T[] {
  if (items.some((item) => SURROGATES_AND_ABOVE.test(nameOf(item))))
    return items.sort((a, b) => compareUtf8(nameOf(a), nameOf(b)));
  return items.sort((a, b) => {
    const first = nameOf(a);
    const second = nameOf(b);
    return first < second ? -1 : first > second ? 1 : 0;
  });
}

/** How many bytes the text takes; a lone surrogate counts as the three of U+FFFD. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) {
      length += 1;
      continue;
    }
    length += 2;
    // A pair is two units and four bytes: two more than its units.
    if ((unit & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i++;
  }
  return length;
}

function surrogatesLast(unit: number): number {
  return (unit & 0xf800) === 0xd800 ? unit + 0x10000 : unit;
}
