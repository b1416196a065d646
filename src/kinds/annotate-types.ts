/**
 * JSDoc comments for the declarations of built-in types. The build adds them to the d.ts files of `api/`, so that an
 * editor shows the descriptions, while the sources stay one line per type.
 */
import { descriptionParts } from '../apimachinery/facts/descriptions.ts';

const WIDTH = 118;
const INTERFACE = /^export interface (\w+) \{$/;
const KIND = /^export (?:declare )?const (\w+): Kind</;
const FIELD = /^ {4}(?:readonly )?['"]?([$\w-]+)['"]?\??: /;

/**
 * Adds a comment to each interface, kind and field of a declaration file. `describe` returns undefined for what has no
 * description, which then gets no comment. Returns the changed text.
 */
export function annotateTypes(
  declarations: string,
  describe: (type: string, field?: string) => string | undefined,
): string {
  const lines: string[] = [];
  let type = '';
  for (const line of declarations.split('\n')) {
    const declared = INTERFACE.exec(line)?.[1];
    if (declared !== undefined) type = declared;
    const field = type === '' || declared !== undefined ? undefined : FIELD.exec(line)?.[1];
    const name = declared ?? KIND.exec(line)?.[1];
    if (field !== undefined) lines.push(...comment(describe(type, field), '    '));
    else if (name !== undefined) lines.push(...comment(describe(name), ''));
    if (line === '}') type = '';
    lines.push(line);
  }
  return lines.join('\n');
}

/** The lines of a comment; none for an absent description. */
function comment(description: string | undefined, indent: string): readonly string[] {
  if (description === undefined) return [];
  const { text, defaultValue, deprecated } = descriptionParts(description);
  const body = [
    ...(text === '' ? [] : wrap(text, WIDTH - indent.length - 3)),
    ...(defaultValue === undefined ? [] : [`@default ${defaultValue}`]),
    ...(deprecated === undefined ? [] : wrap(`@deprecated ${deprecated}`, WIDTH - indent.length - 3)),
  ].map((line) => line.replaceAll('*/', '*\u200b/'));
  if (body.length === 1) return [`${indent}/** ${body[0]} */`];
  return [`${indent}/**`, ...body.map((line) => `${indent} * ${line}`), `${indent} */`];
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
