/** Comparison and length of texts by their UTF-8 form, without encoding them. */

/** Compares by UTF-8 bytes, which is the order of code points. Differs from `<` only for characters beyond U+FFFF. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return surrogatesLast(x) - surrogatesLast(y);
  }
  return a.length - b.length;
}

/** Code units whose order differs between UTF-16 and UTF-8. */
const SURROGATES_AND_ABOVE = /[\ud800-\uffff]/;

/** Sorts in place by name, in the order of `compareUtf8`. Common names are compared with `<`, which is faster. */
export function sortByName<T>(items: T[], nameOf: (item: T) => string): T[] {
  if (items.some((item) => SURROGATES_AND_ABOVE.test(nameOf(item))))
    return items.sort((a, b) => compareUtf8(nameOf(a), nameOf(b)));
  return items.sort((a, b) => {
    const first = nameOf(a);
    const second = nameOf(b);
    return first < second ? -1 : first > second ? 1 : 0;
  });
}

/** Sorts texts in place, in the order of `compareUtf8`. Common texts are sorted natively, which is faster. */
export function sortUtf8(texts: string[]): string[] {
  for (const text of texts) if (SURROGATES_AND_ABOVE.test(text)) return texts.sort(compareUtf8);
  return texts.sort();
}

/** The number of UTF-8 bytes. A lone surrogate counts 3, the length of U+FFFD. */
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
    // A surrogate pair is two units and four bytes.
    if ((unit & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i++;
  }
  return length;
}

/** The number of code points of a text; a lone surrogate counts as one. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) !== 0xd800 || (text.charCodeAt(i + 1) & 0xfc00) !== 0xdc00) continue;
    count--;
    i++;
  }
  return count;
}

function surrogatesLast(unit: number): number {
  return (unit & 0xf800) === 0xd800 ? unit + 0x10000 : unit;
}
