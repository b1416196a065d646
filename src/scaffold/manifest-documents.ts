/**
 * The documents of a manifest file: a YAML stream, or JSON objects one after the other. Invariant: every line of the
 * text belongs to at most one document, and text that belongs to none is blank, a comment or a problem.
 */
import type { Place } from './yaml-places.ts';

export interface ManifestDocument {
  readonly text: string;
  /** The number of lines before the document. */
  readonly line: number;
}

export interface DocumentProblem {
  readonly place: Place;
  readonly message: string;
}

export interface ManifestDocuments {
  readonly documents: readonly ManifestDocument[];
  readonly problems: readonly DocumentProblem[];
}

/** Splits a text at lines that begin with `---`, and each part that begins like JSON after each of its objects. */
export function splitDocuments(text: string): ManifestDocuments {
  const documents: ManifestDocument[] = [];
  const problems: DocumentProblem[] = [];
  let lines: string[] = [];
  let start = 0;
  const all = text.split(/\r?\n/);
  const end = (next: number): void => {
    if (lines.some(hasContent)) addDocuments({ text: `${lines.join('\n')}\n`, line: start }, documents, problems);
    lines = [];
    start = next;
  };
  all.forEach((line, i) => {
    const separator = /^---(?:\s+(.*))?$/.exec(line);
    if (separator === null) {
      lines.push(line);
      return;
    }
    end(i + 1);
    const rest = separator[1] ?? '';
    if (rest !== '' && !rest.startsWith('#')) {
      const message = 'text after "---" is not read: move it to the next line';
      problems.push({ place: { line: i + 1, column: line.indexOf(rest) + 1 }, message });
    }
  });
  end(all.length);
  return { documents, problems };
}

function hasContent(line: string): boolean {
  const text = line.trim();
  return text !== '' && !text.startsWith('#');
}

/** Adds the document, or each JSON object of a document that begins with one. */
function addDocuments(document: ManifestDocument, documents: ManifestDocument[], problems: DocumentProblem[]): void {
  const { text } = document;
  let { line } = document;
  let at = 0;
  for (;;) {
    const start = nextContent(text, at);
    if (start === undefined) return;
    const end = text[start] === '{' ? endOfObject(text, start) : undefined;
    const lineStart = text.lastIndexOf('\n', start) + 1;
    line += countBreaks(text, at, start);
    if (end === undefined && at > 0) {
      const message = 'text after the end of the object is not read: separate documents by a line "---"';
      problems.push({ place: { line: line + 1, column: start - lineStart + 1 }, message });
      return;
    }
    // Blanks replace the text before the object, so that columns do not change.
    const before = ' '.repeat(start - lineStart);
    documents.push(end === undefined ? document : { text: `${before}${text.slice(start, end)}\n`, line });
    if (end === undefined) return;
    line += countBreaks(text, start, end);
    at = end;
  }
}

/** Returns the position of the next text that is neither blank nor a comment. */
function nextContent(text: string, from: number): number | undefined {
  const match = /^(?:\s|#.*)*/.exec(text.slice(from)) as RegExpExecArray;
  const at = from + match[0].length;
  return at < text.length ? at : undefined;
}

/** Returns the position after the brace that closes the object at `start`. Undefined if there is none. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const c = text[i];
    if (c === '"') {
      i = endOfString(text, i);
    } else if (c === '{') depth++;
    else if (c === '}' && --depth === 0) return i + 1;
    else if (c === '#' || c === "'") return undefined;
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i;
}

function countBreaks(text: string, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if (text[i] === '\n') count++;
  return count;
}
