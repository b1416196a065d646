/** The command `keelson policy`: checks admission policies without a server, and explains which of them match. */
import { Command, Option } from 'commander';
import { withExamples } from '../command-tree.ts';
import { OUTPUT_FORMATS, parseFormat } from '../finding-format.ts';
import { checkPolicies, type PolicyCheckOptions } from './policy-check-command.ts';
import { type ExplainOptions, explainObject } from './policy-explain-command.ts';

function operationOption(): Option {
  return new Option('--operation <operation>', 'the write that is judged')
    .choices(['CREATE', 'UPDATE', 'DELETE'])
    .default('CREATE');
}

export function policyCommand(): Command {
  const command = new Command('policy').description(
    'check admission policies, or explain which of them match an object',
  );
  const check = command
    .command('check')
    .argument(
      '<file...>',
      'files or folders with policies, bindings, parameters, definitions and namespaces, YAML or JSON; - is standard input',
    )
    .requiredOption('--objects <path...>', 'files or folders with example objects, or -')
    .addOption(operationOption())
    .addOption(
      new Option('-o, --output <format>', 'the format of the output; github is annotations of a workflow')
        .choices(OUTPUT_FORMATS)
        .argParser(parseFormat)
        .default('text'),
    )
    .description('judge example objects by policies without a server; exits with 1 if one is not judged as expected')
    .addHelpText(
      'after',
      '\nAn object is expected to be admitted without a warning, unless its annotation keelson.dev/expect is "warned" or\n"denied". The requests are those of a cluster administrator.',
    )
    .action((files: string[], options: PolicyCheckOptions) => checkPolicies(files, options));
  const explain = command
    .command('explain')
    .usage('[options] FILE | KIND NAME | KIND/NAME')
    .argument(
      '<target>',
      'a file with objects, YAML or JSON; - is standard input; or the kind of an object on a server',
    )
    .argument('[name]', 'the name of the object on the server')
    .option(
      '--configurations <path...>',
      'files or folders with webhook configurations, policies and bindings (default: those of the server)',
    )
    .addOption(operationOption())
    .option('-n, --namespace <name>', 'the namespace of the object (default: that of the context)')
    .option('-o, --output <format>', 'text or json', 'text')
    .option('--kubeconfig <file>', 'the kubeconfig (default: $KUBECONFIG, ~/.kube/config or .keelson/admin.kubeconfig)')
    .option('--context <name>', 'the context in the kubeconfig (default: the current one)')
    .description('print which webhooks and policies match an object, and why the others do not')
    .action((target: string, name: string | undefined, options: ExplainOptions) =>
      explainObject(target, name, options),
    );
  withExamples(check, [
    ['keelson policy check policies/ --objects samples/', 'judge every object of a folder'],
    ['keelson policy check policies/ --objects samples/ -o json', 'print the verdicts and costs as JSON'],
    ['keelson policy check policies/ --objects samples/ -o github', 'annotate the lines of a pull request'],
  ]);
  withExamples(explain, [
    ['keelson policy explain pod web -n shop', 'explain the webhooks and policies of a server for a pod'],
    ['keelson policy explain pod.yaml --operation DELETE', 'explain a deletion of the object in a file'],
    ['keelson policy explain pod.yaml --configurations policies/', 'explain without a server'],
  ]);
  return command;
}
