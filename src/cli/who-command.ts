/** The command `keelson who`: prints which manager owns which field of an object. */
import { Command } from 'commander';
import { managedFieldsOf } from '../apimachinery/managed-fields/object-managed-fields.ts';
import { type OwnerTree, ownerTree } from '../apimachinery/managed-fields/owner-tree.ts';
import { ConfigError } from '../base/errors.ts';
import type { JsonObject } from '../base/json-value.ts';
import { wantsColour } from '../node/log/colour.ts';
import { withExamples } from './command-tree.ts';
import { readInput } from './crd-input.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { findingText, sortFindings } from './finding-format.ts';
import { isFile, objectOnServer, type ServerTarget } from './object-target.ts';
import { objectName, treeJson, treeOfManager } from './who-json.ts';
import { treeLines } from './who-text.ts';

interface WhoOptions extends ServerTarget {
  readonly manager?: string;
  readonly output: string;
}

export function whoCommand(): Command {
  const command = new Command('who')
    .description('print which manager owns which field of an object')
    .usage('[options] FILE | KIND NAME | KIND/NAME')
    .argument(
      '<target>',
      'a file with objects, YAML or JSON; - is standard input; or the kind of an object on a server',
    )
    .argument('[name]', 'the name of the object on the server')
    .option('-n, --namespace <name>', 'the namespace of the object (default: that of the context)')
    .option('--manager <name>', 'show only the fields of one manager')
    .option('--output <format>', 'text, a tree, or json', 'text')
    .option('--kubeconfig <file>', 'the kubeconfig (default: $KUBECONFIG, ~/.kube/config or .keelson/admin.kubeconfig)')
    .option('--context <name>', 'the context in the kubeconfig (default: the current one)')
    .addHelpText(
      'after',
      '\nExits with 1 if an object does not exist or has no managedFields. kubectl hides them: get a file with\n"kubectl get KIND NAME -o yaml --show-managed-fields".',
    )
    .action((target: string, name: string | undefined, options: WhoOptions) => run(target, name, options));
  return withExamples(command, [
    ['keelson who deployment web -n shop', 'show the owners of the fields of a Deployment'],
    ['keelson who deploy/web --manager kubectl', 'show only what kubectl owns'],
    ['keelson who web.yaml --output json', 'print the owners in a file as JSON'],
  ]);
}

async function run(target: string, name: string | undefined, options: WhoOptions): Promise<void> {
  if (options.output !== 'text' && options.output !== 'json')
    throw new ConfigError(`--output: ${JSON.stringify(options.output)} is not one of text, json`);
  const objects = isFile(target, name, 'keelson who')
    ? await objectsIn(target)
    : [await objectOnServer(target, name, options)];
  const trees: { readonly object: JsonObject; readonly tree: OwnerTree }[] = [];
  for (const object of objects) {
    const tree = treeOf(object, options.manager);
    if (typeof tree === 'string') fail(`${objectName(object)} ${tree}`);
    else trees.push({ object, tree });
  }
  if (options.output === 'json') {
    console.log(JSON.stringify({ objects: trees.map(({ object, tree }) => treeJson(object, tree)) }, undefined, 2));
    return;
  }
  const colours = wantsColour(process.env, process.stdout.isTTY === true);
  const texts = trees.map(({ object, tree }) => treeLines(object, tree, { colours }).join('\n'));
  if (texts.length > 0) console.log(texts.join('\n\n'));
}

/** Returns the tree, or a sentence about an object without one. */
function treeOf(object: JsonObject, manager: string | undefined): OwnerTree | string {
  const entries = managedFieldsOf(object);
  if (entries === undefined || (Array.isArray(entries) && entries.length === 0)) return 'has no managedFields';
  const result = ownerTree(object);
  if (!result.ok) return `has managedFields that cannot be read: ${result.message}`;
  if (manager === undefined) return result.tree;
  const managers = [...new Set(result.tree.owners.map((owner) => owner.manager))];
  if (!managers.includes(manager)) return `has no manager ${JSON.stringify(manager)}; it has ${managers.join(', ')}`;
  return treeOfManager(result.tree, manager);
}

function fail(sentence: string): void {
  console.error(`keelson: ${sentence}`);
  process.exitCode = EXIT_CODES.failed;
}

async function objectsIn(file: string): Promise<readonly JsonObject[]> {
  const { manifests, problems } = await readInput([file]);
  for (const problem of sortFindings(problems)) fail(findingText(problem));
  if (manifests.length + problems.length === 0) throw new ConfigError(`${file} contains no object`);
  return manifests.map(({ object }) => object);
}
