/** The formats in which `keelson crd` prints findings: text that editors can follow, JSON, and GitHub annotations. */
import { relative, resolve } from 'node:path';
import { ConfigError } from '../base/errors.ts';
import type { Finding, FindingKind } from '../scaffold/finding.ts';
import { STDIN_NAME } from '../scaffold/manifest-files.ts';

export type OutputFormat = 'text' | 'json' | 'github';

export const OUTPUT_FORMATS: readonly OutputFormat[] = ['text', 'json', 'github'];

/** Throws ConfigError for any other name. */
export function parseFormat(name: string): OutputFormat {
  const format = OUTPUT_FORMATS.find((known) => known === name);
  if (format === undefined)
    throw new ConfigError(`--output: ${JSON.stringify(name)} is not one of ${OUTPUT_FORMATS.join(', ')}`);
  return format;
}

const PREFIXES: Readonly<Record<FindingKind, string>> = {
  syntax: '',
  decode: '',
  definition: '',
  duplicate: '',
  rejected: 'would be rejected: ',
  pruned: 'would be pruned: ',
};

/** Returns the findings by file, in the order in which the files first occur, and by place within a file. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const files = new Map<string, number>();
  for (const { file } of findings) if (!files.has(file)) files.set(file, files.size);
  const rank = ({ file }: Finding): number => files.get(file) as number;
  return [...findings].sort(
    (a, b) => rank(a) - rank(b) || a.place.line - b.place.line || a.place.column - b.place.column,
  );
}

/** Returns the line `file:line:column: message`, the format of compilers. */
export function findingText({ kind, file, place: { line, column }, message }: Finding): string {
  return `${file}:${line}:${column}: ${PREFIXES[kind]}${message}`;
}

export function findingJson({ kind, file, place: { line, column }, message }: Finding): Record<string, unknown> {
  return { kind, file, line, column, message };
}

/**
 * Returns a workflow command that annotates the file. GitHub expects paths below the workspace, which is not always the
 * working folder. Findings on standard input have no file.
 */
export function githubCommand(
  level: 'error' | 'notice',
  {
    kind,
    file,
    place: { line, column },
    message,
  }: Pick<Finding, 'file' | 'place' | 'message'> & { kind?: FindingKind },
  workspace: string | undefined = process.env['GITHUB_WORKSPACE'],
): string {
  const path = workspace === undefined || workspace === '' ? file : relative(workspace, resolve(file));
  const location = file === STDIN_NAME ? '' : `file=${escapeProperty(path)},`;
  const text = `${kind === undefined ? '' : PREFIXES[kind]}${message}`;
  return `::${level} ${location}line=${line},col=${column}::${escapeData(text)}`;
}

/** The escapes of workflow commands, as the toolkit of GitHub Actions writes them (`packages/core/src/command.ts`). */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
