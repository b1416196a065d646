/** The formatting of issues, like cel-go: position, message, source line and a marker below the position. */
import type { CelIssue } from './ast.ts';

const MAX_ISSUES = 100;
/** Longer source lines are not shown, in bytes of UTF-8. A UTF-16 unit has at most three bytes. */
const MAX_LINE = 16384;

/** The line (from 1) and column (from 0, in code points) of a position. */
function locate(lines: readonly (readonly string[])[], at: number): { readonly line: number; readonly column: number } {
  if (at < 0) return { line: -1, column: -1 };
  let start = 0;
  for (const [index, line] of lines.entries()) {
    if (at <= start + line.length || index === lines.length - 1) return { line: index + 1, column: at - start };
    start += line.length + 1;
  }
  return { line: 1, column: at };
}

function isWide(char: string | undefined): boolean {
  return char !== undefined && (char.codePointAt(0) ?? 0) > 0x7f;
}

function formatIssue(lines: readonly (readonly string[])[], issue: CelIssue): string {
  const { line, column } = locate(lines, issue.at);
  const empty = lines.length === 1 && lines[0]?.length === 0;
  const head = `ERROR: <input>:${line}:${empty ? 0 : column + 1}: ${issue.message}`;
  const chars = lines[line - 1];
  if (chars === undefined || empty) return head;
  const text = chars.join('').replaceAll('\t', ' ');
  if (text.length * 3 > MAX_LINE && new TextEncoder().encode(text).length > MAX_LINE) return head;
  const dots = chars
    .slice(0, column)
    .map((char) => (isWide(char) ? '．' : '.'))
    .join('');
  return `${head}\n | ${text}\n | ${dots}${isWide(chars[column]) ? '＾' : '^'}`;
}

/**
 * Formats the issues of a source, sorted by position. After a hundred issues only the number of the others is printed.
 */
export function formatIssues(source: string, issues: readonly CelIssue[]): string {
  const lines = source.split('\n').map((line) => [...line]);
  const texts = issues
    .slice(0, MAX_ISSUES)
    .sort((left, right) => left.at - right.at)
    .map((issue) => formatIssue(lines, issue));
  if (issues.length > MAX_ISSUES) texts.push(`${issues.length - MAX_ISSUES} more errors were truncated`);
  return texts.join('\n');
}
