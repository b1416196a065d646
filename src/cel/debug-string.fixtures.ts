/** The formatting of trees like cel-go's `debug.ToDebugString`, the notation of `@bufbuild/cel-spec`. */
import type { Expr, Literal } from './ast.ts';
import { declaredName, formatType } from './check/format-type.ts';
import type { CheckedExpression } from './environment.ts';
import { CelTypeValue } from './values.ts';

interface Notation {
  /** The text after a node; called with undefined for an entry of a map or an object. */
  adorn(expr: Expr | undefined): string;
  /** The qualified name of a name or a selection, if it has one. */
  name(expr: Expr): string | undefined;
}

/** Formats a tree with the kind of each node. */
export function debugString(expr: Expr): string {
  return write(expr, 0, {
    adorn: (node) => `^#*expr.${node === undefined ? 'Expr_CreateStruct_Entry' : kindOf(node)}#`,
    name: () => undefined,
  });
}

/** Formats a tree with the type and the reference of each node. cel-go has no type for the field of `a.?field`. */
export function checkedDebugString(checked: CheckedExpression): string {
  const fields = new Set<Expr>();
  const name = (expr: Expr): string | undefined => {
    const reference = checked.references.get(expr);
    if (expr.kind === 'struct') return expr.name;
    if (reference === undefined || reference.kind === 'overloads') return undefined;
    if (reference.kind !== 'constant') return reference.name;
    return reference.value instanceof CelTypeValue ? declaredName(reference.value.type) : undefined;
  };
  return write(checked.expr, 0, {
    adorn(node) {
      const type = node === undefined ? undefined : checked.types.get(node);
      if (node === undefined || type === undefined || fields.has(node)) return '';
      const reference = checked.references.get(node);
      const refersTo =
        reference?.kind === 'overloads'
          ? reference.overloads
              .map((overload) => overload.id)
              .sort()
              .join('|')
          : name(node);
      return `~${formatType(type)}${refersTo === undefined ? '' : `^${refersTo}`}`;
    },
    name(expr) {
      if (expr.kind === 'call' && expr.name === '_?._') for (const field of expr.args.slice(1)) fields.add(field);
      return name(expr);
    },
  });
}

function kindOf(expr: Expr): string {
  switch (expr.kind) {
    case 'literal':
      return `Constant_${LITERAL_KINDS[expr.literal.type]}Value`;
    case 'ident':
      return 'Expr_IdentExpr';
    case 'select':
      return 'Expr_SelectExpr';
    case 'call':
      return 'Expr_CallExpr';
    case 'list':
      return 'Expr_ListExpr';
    case 'map':
    case 'struct':
      return 'Expr_StructExpr';
    case 'comprehension':
      return 'Expr_ComprehensionExpr';
  }
}

const LITERAL_KINDS: Readonly<Record<Literal['type'], string>> = {
  null: 'Null',
  bool: 'Bool',
  int: 'Int64',
  uint: 'Uint64',
  double: 'Double',
  string: 'String',
  bytes: 'Bytes',
};

function write(expr: Expr, indent: number, notation: Notation): string {
  const name = notation.name(expr);
  return (expr.kind === 'struct' || name === undefined ? body(expr, indent, notation) : name) + notation.adorn(expr);
}

function lines(open: string, items: readonly string[], close: string, indent: number): string {
  if (items.length === 0) return `${open}${close}`;
  const inner = `\n${'  '.repeat(indent + 1)}`;
  return `${open}${inner}${items.join(`,${inner}`)}\n${'  '.repeat(indent)}${close}`;
}

function body(expr: Expr, indent: number, notation: Notation): string {
  const inner = (part: Expr): string => write(part, indent + 1, notation);
  switch (expr.kind) {
    case 'literal':
      return formatLiteral(expr.literal);
    case 'ident':
      return expr.name;
    case 'select': {
      const operand = write(expr.operand, indent, notation);
      return `${operand}.${expr.field}${expr.test ? '~test-only~' : ''}`;
    }
    case 'call': {
      const target = expr.target === undefined ? '' : `${write(expr.target, indent, notation)}.`;
      return lines(`${target}${expr.name}(`, expr.args.map(inner), ')', indent);
    }
    case 'list': {
      const elements = expr.elements.map((part, index) => (expr.optional.includes(index) ? '?' : '') + inner(part));
      return lines('[', elements, ']', indent);
    }
    case 'map': {
      const entries = expr.entries.map(
        ({ key, value, optional }) => `${optional ? '?' : ''}${inner(key)}:${inner(value)}${notation.adorn(undefined)}`,
      );
      return lines('{', entries, '}', indent);
    }
    case 'struct': {
      const fields = expr.fields.map(
        ({ name, value, optional }) => `${optional ? '?' : ''}${name}:${inner(value)}${notation.adorn(undefined)}`,
      );
      return lines(`${expr.name}{`, fields, '}', indent);
    }
    case 'comprehension': {
      const parts = [
        `// Variable\n${expr.variable}`,
        `// Target\n${inner(expr.range)}`,
        `// Accumulator\n${expr.accumulator}`,
        `// Init\n${inner(expr.init)}`,
        `// LoopCondition\n${inner(expr.condition)}`,
        `// LoopStep\n${inner(expr.step)}`,
        `// Result\n${inner(expr.result)}`,
      ];
      const margin = `\n${'  '.repeat(indent + 1)}`;
      return `__comprehension__(${parts.map((part) => margin + part.replace('\n', margin)).join(',')})`;
    }
  }
}

function formatLiteral(literal: Literal): string {
  switch (literal.type) {
    case 'null':
      return 'null';
    case 'string':
      return `"${[...literal.value].map(escapeChar).join('')}"`;
    case 'bytes':
      return `b"${formatBytes(literal.value)}"`;
    case 'uint':
      return `${literal.value}u`;
    case 'double':
      return Math.abs(literal.value) < 1e6
        ? `${Object.is(literal.value, -0) ? '-' : ''}${literal.value}`
        : literal.value.toExponential().replace(/e\+(\d)$/, 'e+0$1');
    default:
      return `${literal.value}`;
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['"', '\\"'],
  ['\\', '\\\\'],
]);

function escapeChar(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const short = ESCAPES.get(char);
  if (short !== undefined) return short;
  if (/[\p{L}\p{M}\p{N}\p{S}\p{P} ]/u.test(char)) return char;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}

function formatBytes(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  if (!text.includes('�')) return [...text].map(escapeChar).join('');
  return [...bytes]
    .map((byte) => (byte < 0x80 ? escapeChar(String.fromCharCode(byte)) : `\\x${byte.toString(16)}`))
    .join('');
}
