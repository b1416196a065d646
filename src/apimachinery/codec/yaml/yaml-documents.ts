/** The splitter of YAML streams. It splits at lines that begin with `---`, as the reference's stream reader does. */

export type YamlDocuments =
  | { readonly ok: true; readonly documents: readonly string[] }
  | { readonly ok: false; readonly error: { readonly message: string; readonly line: number } };

/**
 * The text of each document, every line ended by `\n`. A separator stays with the document that it opens only at the
 * start of the stream or after another separator. Only a comment may follow the dashes; anything else is an error with
 * its line, counted from 1.
 */
export function splitYamlDocuments(stream: string): YamlDocuments {
  const documents: string[] = [];
  let lines: string[] = [];
  const all = stream.split('\n');
  if (all.at(-1) === '') all.pop();
  for (const [i, raw] of all.entries()) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (line.startsWith('---')) {
      const rest = line.slice(3).trim();
      if (rest !== '' && !rest.startsWith('#'))
        return { ok: false, error: { message: `invalid Yaml document separator: ${rest}`, line: i + 1 } };
      if (lines.length > 0) {
        documents.push(`${lines.join('\n')}\n`);
        lines = [];
        continue;
      }
    }
    lines.push(line);
  }
  if (lines.length > 0) documents.push(`${lines.join('\n')}\n`);
  return { ok: true, documents };
}
