/** The command `keelson crd`: checks and types of CustomResourceDefinitions without a server. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import type { Crd } from '../apiextensions/crd.ts';
import { createSchemaChecks } from '../apiextensions/definition/validation/create-schema-checks.ts';
import type { ValidationTools } from '../apiextensions/definition/validation/validation-options.ts';
import { ConfigError } from '../base/errors.ts';
import { checkCaBundle } from '../pki/ca-bundle.ts';
import { type CheckedCrd, checkCrd, type Finding, isCrd } from '../scaffold/crd-check.ts';
import { crdTypes } from '../scaffold/crd-types.ts';
import { type Manifests, readManifests } from '../scaffold/manifest-files.ts';
import { createObjectChecker } from '../scaffold/object-check.ts';
import { withExamples } from './command-tree.ts';

export function crdCommand(): Command {
  const command = new Command('crd').description(
    'check custom resource definitions, or write TypeScript types of them',
  );
  const check = command
    .command('check')
    .argument('<file...>', 'files or folders with definitions, YAML or JSON')
    .option(
      '--objects <path...>',
      'files or folders with custom objects; reports those that would be rejected or pruned',
    )
    .option('--costs', 'print the maximum cost of each CEL rule')
    .description(
      'check definitions without a server; exits with 1 if a server would refuse one, with 2 if none can be read',
    )
    .action(async (files: string[], options: { objects?: string[]; costs?: boolean }) => {
      const read = await readManifests(files);
      const checked = await checkDefinitions(files, read);
      const problems = [...report(read.problems), ...checked.flatMap(({ errors }) => report(errors))];
      if (options.costs === true) for (const crd of checked) printCosts(crd);
      const objects = options.objects === undefined ? [] : await checkObjects(options.objects, checked);
      const total = problems.length + objects.length;
      console.log(`${checked.length} definitions, ${total} problems`);
      if (total > 0) process.exitCode = 1;
    });
  const types = command
    .command('types')
    .argument('<file...>', 'files or folders with definitions, YAML or JSON')
    .requiredOption('-o, --output <folder>', 'the folder to write to')
    .description('write TypeScript types for each version of each definition')
    .action(async (files: string[], { output }: { output: string }) => {
      const checked = await checkDefinitions(files, await readManifests(files));
      const crds = checked.flatMap(({ crd }) => (crd === undefined ? [] : [crd]));
      const written = crdTypes(crds);
      for (const [path, text] of written) {
        const file = join(output, path);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, text);
        console.log(file);
      }
    });
  withExamples(check, [
    ['keelson crd check crds/', 'check every definition in a folder'],
    ['keelson crd check crds/ --objects samples/', 'check objects against them, too'],
  ]);
  withExamples(types, [['keelson crd types crds/ --output src/types', 'write one file for each group and version']]);
  return command;
}

async function checkDefinitions(files: readonly string[], { manifests }: Manifests): Promise<readonly CheckedCrd[]> {
  const crds = manifests.filter(isCrd);
  if (crds.length === 0)
    throw new ConfigError(
      `no CustomResourceDefinition in ${files.join(', ')}: name a file or folder that contains one`,
    );
  const tools: ValidationTools = { checks: createSchemaChecks(), caBundle: checkCaBundle };
  return crds.map((manifest) => checkCrd(manifest, tools));
}

async function checkObjects(paths: readonly string[], checked: readonly CheckedCrd[]): Promise<readonly string[]> {
  const { manifests, problems } = await readManifests(paths);
  const check = createObjectChecker(checked.flatMap(({ crd }): Crd[] => (crd === undefined ? [] : [crd])));
  const reported = report(problems);
  let count = 0;
  for (const manifest of manifests) {
    const result = check(manifest);
    if (result === undefined) continue;
    count++;
    reported.push(...report(result.rejected, 'would be rejected: '), ...report(result.pruned, 'would be pruned: '));
  }
  console.log(`${count} objects of these kinds`);
  return reported;
}

/** Prints findings in the format of compilers, which editors can follow. */
function report(findings: readonly Finding[], prefix = ''): string[] {
  return findings.map(({ file, place: { line, column }, message }) => {
    const text = `${file}:${line}:${column}: ${prefix}${message}`;
    console.log(text);
    return text;
  });
}

function printCosts({ costs }: CheckedCrd): void {
  for (const { file, place, version, rule, cost, share } of costs) {
    const shown = rule.replace(/\s+/g, ' ').trim();
    const figure = `${Math.min(cost, Number.MAX_SAFE_INTEGER).toLocaleString('en-US')} (${(share * 100).toFixed(2)} % of the limit)`;
    console.log(`${file}:${place.line}:${place.column}: ${version}: costs at most ${figure}: ${shown}`);
  }
}
