/** Reads and checks the definitions that the subcommands of `keelson crd` work on. */
import { createSchemaChecks } from '../apiextensions/definition/validation/create-schema-checks.ts';
import type { ValidationTools } from '../apiextensions/definition/validation/validation-options.ts';
import { ConfigError } from '../base/errors.ts';
import { checkCaBundle } from '../pki/ca-bundle.ts';
import { type CheckedCrd, checkCrd, isCrd } from '../scaffold/crd-check.ts';
import { definitionConflicts } from '../scaffold/crd-conflicts.ts';
import type { Finding } from '../scaffold/finding.ts';
import { type Manifests, readManifests } from '../scaffold/manifest-files.ts';
import type { Progress } from './progress.ts';

export interface CrdInput {
  readonly checked: readonly CheckedCrd[];
  readonly findings: readonly Finding[];
}

/**
 * Reads and checks the definitions in files and folders. A file that cannot be parsed is a finding. Throws ConfigError
 * if the files contain neither a definition nor such a finding.
 */
export async function readCrds(files: readonly string[], progress: Progress): Promise<CrdInput> {
  const { manifests, problems } = await readInput(files);
  const definitions = manifests.filter(isCrd);
  if (definitions.length + problems.length === 0)
    throw new ConfigError(
      `no CustomResourceDefinition in ${files.join(', ')}: name a file or folder that contains one`,
    );
  const tools: ValidationTools = { checks: createSchemaChecks(), caBundle: checkCaBundle };
  const checked = definitions.map((manifest, i) => {
    progress.step('checking definitions', i, definitions.length);
    return checkCrd(manifest, tools);
  });
  const findings = checked.flatMap((crd) => crd.findings);
  return { checked, findings: [...problems, ...findings, ...definitionConflicts(checked)] };
}

export function readInput(paths: readonly string[]): Promise<Manifests> {
  return readManifests(paths, { readStdin });
}

/** Throws ConfigError if several paths name standard input, which can be read once. */
export function requireOneStdin(paths: readonly string[]): void {
  if (paths.filter((path) => path === '-').length > 1)
    throw new ConfigError('"-" is named more than once, but standard input can be read only once');
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}
