/** The size of a value as JSON, computed without writing it. */
import type { JsonValue } from '../../base/json-value.ts';

/**
 * The bytes of compact JSON with HTML characters escaped. Recursive: only for values no deeper than MAX_PATCH_DEPTH.
 */
export function jsonSize(value: JsonValue): number {
  switch (typeof value) {
    case 'string':
      return stringSize(value);
    case 'object': {
      if (value === null) return 4;
      let size = 2;
      if (Array.isArray(value)) {
        for (const item of value) size += jsonSize(item) + 1;
        return value.length > 0 ? size - 1 : size;
      }
      const keys = Object.keys(value);
      for (const key of keys) size += stringSize(key) + 1 + jsonSize(value[key] as JsonValue) + 1;
      return keys.length > 0 ? size - 1 : size;
    }
    default:
      return String(value).length;
  }
}

function stringSize(text: string): number {
  let size = 2;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20) size += unit >= 0x08 && unit <= 0x0d && unit !== 0x0b ? 2 : 6;
    else if (unit === 0x22 || unit === 0x5c) size += 2;
    else if (unit === 0x3c || unit === 0x3e || unit === 0x26 || unit === 0x2028 || unit === 0x2029) size += 6;
    else if (unit < 0x80) size += 1;
    else if (unit < 0x800) size += 2;
    else if (isPair(text, i)) {
      size += 4;
      i++;
    } else size += 3;
  }
  return size;
}

function isPair(text: string, i: number): boolean {
  const low = text.charCodeAt(i + 1);
  return (text.charCodeAt(i) & 0xfc00) === 0xd800 && (low & 0xfc00) === 0xdc00;
}
