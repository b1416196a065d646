/** Reads the code blocks of a guide: files to write, commands to run and the output that they must print. */

export interface GuideFile {
  readonly kind: 'file';
  readonly name: string;
  readonly text: string;
}

export interface GuideCommand {
  readonly kind: 'command';
  readonly line: number;
  readonly text: string;
  /** Lines that must be printed. `...` stands for any number of lines. */
  readonly expected: readonly string[];
  /** Runs until the guide ends; the next command runs when the expected lines were printed. */
  readonly background: boolean;
}

export type GuideStep = GuideFile | GuideCommand;

const FENCE = /^```(\S*) *(.*)$/;
const TITLE = /title=(\S+)/;

/**
 * A block with `title=NAME` is a file. A `console` block contains commands after `$ ` with their output; `console
 * background` starts a program. Other blocks are illustrations. Throws for a `ts`, `js` or `sh` block without a title,
 * because nothing would run it.
 */
export function parseGuide(markdown: string): readonly GuideStep[] {
  const steps: GuideStep[] = [];
  const lines = markdown.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const fence = FENCE.exec(lines[i] as string);
    if (fence === null) continue;
    const [, language = '', options = ''] = fence;
    const start = i + 1;
    let end = start;
    while (end < lines.length && lines[end] !== '```') end++;
    const block = lines.slice(start, end);
    i = end;
    const title = TITLE.exec(options)?.[1];
    if (title !== undefined) steps.push({ kind: 'file', name: title, text: `${block.join('\n')}\n` });
    else if (language === 'console') steps.push(...commandsOf(block, start, options.includes('background')));
    else if (['ts', 'js', 'sh'].includes(language))
      throw new Error(`line ${start}: nothing runs this ${language} block`);
  }
  return steps;
}

function commandsOf(block: readonly string[], start: number, background: boolean): GuideCommand[] {
  const commands: { line: number; text: string; expected: string[] }[] = [];
  let continued = false;
  for (const [i, line] of block.entries()) {
    const last = commands.at(-1);
    if (continued && last !== undefined) last.text += `\n${line}`;
    else if (line.startsWith('$ ')) commands.push({ line: start + i + 1, text: line.slice(2), expected: [] });
    else if (last !== undefined && line !== '') last.expected.push(line);
    const text = commands.at(-1)?.text ?? '';
    continued = text.endsWith('\\') && (continued || line.startsWith('$ '));
  }
  return commands.map((command) => ({ kind: 'command', ...command, background }));
}
