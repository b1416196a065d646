/** The values of literal tokens. A literal out of range is an error; it is never rounded. */
import type { Literal } from '../ast.ts';
import { MAX_INT, MAX_UINT, MIN_INT } from '../runtime/integers.ts';
import { type Unquoted, unquoteBytes, unquoteString } from './quoted.ts';
import { TOKEN, type TokenKind } from './tokens.ts';

function fail(message: string): Unquoted<Literal> {
  return { ok: false, message };
}

/** Reads a literal. `text` is the token without its sign. */
export function readLiteral(kind: TokenKind, text: string, negative: boolean): Unquoted<Literal> {
  switch (kind) {
    case TOKEN.INT: {
      const value = negative ? -BigInt(text) : BigInt(text);
      if (value < MIN_INT || value > MAX_INT) return fail('invalid int literal');
      return { ok: true, value: { type: 'int', value } };
    }
    case TOKEN.UINT: {
      const value = BigInt(text.slice(0, -1));
      return value > MAX_UINT ? fail('invalid uint literal') : { ok: true, value: { type: 'uint', value } };
    }
    case TOKEN.FLOAT: {
      const value = Number(text);
      if (!Number.isFinite(value)) return fail('invalid double literal');
      return { ok: true, value: { type: 'double', value: negative ? -value : value } };
    }
    case TOKEN.STRING: {
      const read = unquoteString(text);
      return read.ok ? { ok: true, value: { type: 'string', value: read.value } } : read;
    }
    case TOKEN.BYTES: {
      const read = unquoteBytes(text.slice(1));
      return read.ok ? { ok: true, value: { type: 'bytes', value: read.value } } : read;
    }
    case TOKEN.TRUE:
    case TOKEN.FALSE:
      return { ok: true, value: { type: 'bool', value: kind === TOKEN.TRUE } };
    default:
      return { ok: true, value: { type: 'null' } };
  }
}
