/** Comparison and length of texts by their UTF-8 form, without encoding them. */

/** Code units whose order differs between UTF-16 and UTF-8. */
const SURROGATES_AND_ABOVE = /[\ud800-\uffff]/;

/**
 * Compares by UTF-8 bytes, which is the order of code points. Differs from `<` only for characters beyond U+FFFF, and
 * only if the text that `<` sorts last has such a code unit. `<` is several times faster than a loop over
 * `charCodeAt`, whose lookup is slow in V8 once it has seen more than four representations of strings.
 */
export function compareUtf8(a: string, b: string): number {
  if (a === b) return 0;
  const isLess = a < b;
  if (SURROGATES_AND_ABOVE.test(isLess ? b : a)) return compareCodeUnits(a, b);
  return isLess ? -1 : 1;
}

function compareCodeUnits(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return surrogatesLast(x) - surrogatesLast(y);
  }
  return a.length - b.length;
}

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

/** Up to this many texts are sorted by insertion, which allocates nothing. */
const FEW_TEXTS = 32;

/**
 * Sorts texts in place, in the order of `compareUtf8`. Returns whether their order changed. Fast for texts that are
 * mostly in order.
 */
export function sortUtf8(texts: string[]): boolean {
  if (texts.length <= FEW_TEXTS) return insertionSort(texts);
  let at = 1;
  while (at < texts.length && compareUtf8(texts[at - 1] as string, texts[at] as string) <= 0) at++;
  if (at === texts.length) return false;
  // Without a comparator, texts are sorted natively.
  if (texts.some((text) => SURROGATES_AND_ABOVE.test(text))) texts.sort(compareUtf8);
  else texts.sort();
  return true;
}

function insertionSort(texts: string[]): boolean {
  let changed = false;
  for (let i = 1; i < texts.length; i++) {
    const text = texts[i] as string;
    if (compareUtf8(texts[i - 1] as string, text) <= 0) continue;
    changed = true;
    const at = placeOf(text, texts, i - 1);
    texts.copyWithin(at + 1, at, i);
    texts[at] = text;
  }
  return changed;
}

/** Returns the place of a text among the first `count` texts, behind those that equal it. */
function placeOf(text: string, texts: readonly string[], count: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareUtf8(texts[middle] as string, text) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the number of UTF-8 bytes. A lone surrogate counts 3, the length of U+FFFD. */
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

/** Returns the number of code points of a text; a lone surrogate counts as one. */
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
