/** The command `keelson crd types`: writes TypeScript types of definitions. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crdTypes } from '../scaffold/crd-types.ts';
import type { Finding } from '../scaffold/finding.ts';
import { readCrds, requireOneStdin } from './crd-input.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { findingJson, findingText, githubCommand, type OutputFormat, sortFindings } from './finding-format.ts';
import { Progress } from './progress.ts';

export interface TypesOptions {
  readonly out: string;
  readonly clientNode?: boolean;
  readonly kinds?: boolean;
  readonly output: OutputFormat;
}

/**
 * Writes the types of all definitions that can be decoded and prints the paths of the files. Problems of definitions
 * are printed, too, and set the exit code. Throws ConfigError if there is no definition.
 */
export async function writeCrdTypes(
  files: readonly string[],
  { out, clientNode, kinds, output }: TypesOptions,
): Promise<void> {
  requireOneStdin(files);
  const progress = new Progress({ stream: process.stderr, now: Date.now });
  const input = await readCrds(files, progress);
  progress.end();
  const crds = input.checked.flatMap(({ crd }) => (crd === undefined ? [] : [crd]));
  const written: string[] = [];
  const metadata = clientNode === true ? 'client-node' : kinds === true ? 'keelson' : 'own';
  for (const [path, text] of crdTypes(crds, { metadata })) {
    const file = join(out, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    written.push(file);
  }
  print(output, { definitions: crds.length, files: written, findings: sortFindings(input.findings) });
  if (input.findings.length > 0) process.exitCode = EXIT_CODES.failed;
}

interface TypesReport {
  readonly definitions: number;
  readonly files: readonly string[];
  readonly findings: readonly Finding[];
}

function print(format: OutputFormat, { definitions, files, findings }: TypesReport): void {
  if (format === 'json') {
    console.log(JSON.stringify({ definitions, files, problems: findings.map(findingJson) }, undefined, 2));
    return;
  }
  for (const file of files) console.log(file);
  for (const finding of findings)
    if (format === 'github') console.log(githubCommand('error', finding));
    else console.error(findingText(finding));
}
