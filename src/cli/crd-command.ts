/** The command `keelson crd`: checks and types of CustomResourceDefinitions without a server. */
import { Command, Option } from 'commander';
import { withExamples } from './command-tree.ts';
import { type CheckOptions, checkCrds } from './crd-check-command.ts';
import { type TypesOptions, writeCrdTypes } from './crd-types-command.ts';
import { OUTPUT_FORMATS, parseFormat } from './finding-format.ts';

const FILES = 'files or folders with definitions, YAML or JSON; - is standard input';
const FORMAT = 'the format of the output; github is annotations of a workflow';

function formatOption(): Option {
  return new Option('--output <format>', FORMAT).choices(OUTPUT_FORMATS).argParser(parseFormat).default('text');
}

export function crdCommand(): Command {
  const command = new Command('crd').description(
    'check custom resource definitions, or write TypeScript types of them',
  );
  const check = command
    .command('check')
    .argument('<file...>', FILES)
    .option(
      '--objects <path...>',
      'files or folders with custom objects, or -; reports those that would be rejected or pruned',
    )
    .option('--costs', 'print the maximum cost of each CEL rule')
    .addOption(formatOption())
    .description('check definitions without a server; exits with 1 if there is a problem')
    .action((files: string[], options: CheckOptions) => checkCrds(files, options));
  const types = command
    .command('types')
    .argument('<file...>', FILES)
    .requiredOption('-o, --out <folder>', 'the folder to write to')
    .option('--client-node', 'take the types of metadata from @kubernetes/client-node')
    .addOption(
      new Option(
        '--kinds',
        'take the types of metadata from keelson/kinds, and write a token of each kind for keelson/client',
      ).conflicts('clientNode'),
    )
    .addOption(formatOption())
    .description(
      'write TypeScript types for each version of each definition; exits with 1 if a definition has a problem',
    )
    .action((files: string[], options: TypesOptions) => writeCrdTypes(files, options));
  withExamples(check, [
    ['keelson crd check crds/', 'check every definition in a folder'],
    ['keelson crd check crds/ --objects samples/', 'check objects against them, too'],
    ['keelson crd check crds/ --output github', 'annotate the lines of a pull request in a GitHub workflow'],
    ['keelson crd check - < crds.yaml', 'check what another program prints'],
  ]);
  withExamples(types, [
    ['keelson crd types crds/ --out src/types', 'write one file for each group and version'],
    ['keelson crd types crds/ --out src/types --client-node', 'write types for clients of @kubernetes/client-node'],
    ['keelson crd types crds/ --out src/types --kinds', 'write types and tokens for keelson/client'],
  ]);
  return command;
}
