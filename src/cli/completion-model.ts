/** The commands and flags that shell completion offers, as data. The generator of each shell script reads it. */
import type { Argument, Command, Option } from 'commander';
import { fullName } from './command-tree.ts';
import { type CompletionValues, NO_VALUES, oneOf, serverFlagValues } from './completion-values.ts';
import { SERVER_FLAGS } from './server-flags.ts';

export interface CompletionFlag {
  /** With dashes: `--output`, `-o`. */
  readonly names: readonly string[];
  readonly help: string;
  /** Undefined for a flag that takes no value. */
  readonly values: CompletionValues | undefined;
}

export interface CompletionNode {
  /** The words after the program: `storage backup`; '' for the program itself. */
  readonly path: string;
  readonly children: readonly { readonly name: string; readonly help: string }[];
  readonly flags: readonly CompletionFlag[];
  /** The values of the arguments that are not flags. */
  readonly operands: CompletionValues;
}

const HELP: CompletionFlag = { names: ['--help', '-h'], help: 'print the help', values: undefined };

/** Returns the node of the program and of every command. */
export function completionNodes(program: Command): readonly CompletionNode[] {
  return [...nodesOf(program), ...program.commands.flatMap((command) => helpNodes(command, 'help'))];
}

function nodesOf(command: Command): readonly CompletionNode[] {
  const takesServerFlags = command.parent === null || command.usage() === '[FLAGS]';
  const [operand] = command.registeredArguments;
  const node: CompletionNode = {
    path: pathOf(command),
    children: command.name() === 'help' && command.parent !== null ? childrenOf(command.parent) : childrenOf(command),
    flags: [...(takesServerFlags ? serverFlags() : command.options.map(flagOf)), HELP],
    operands: operand === undefined ? NO_VALUES : valuesOf(operand.name(), operand),
  };
  return [node, ...command.commands.flatMap(nodesOf)];
}

/**
 * Returns the nodes of `help storage` and of every deeper path. They complete names of commands and no flag but --help.
 */
function helpNodes(command: Command, parent: string): readonly CompletionNode[] {
  const path = `${parent} ${command.name()}`;
  const node = { path, children: childrenOf(command), flags: [HELP], operands: NO_VALUES };
  return [node, ...command.commands.flatMap((child) => helpNodes(child, path))];
}

function childrenOf(command: Command): CompletionNode['children'] {
  return command.commands.map((child) => ({ name: child.name(), help: child.description() }));
}

function pathOf(command: Command): string {
  return fullName(command).split(' ').slice(1).join(' ');
}

function serverFlags(): readonly CompletionFlag[] {
  return SERVER_FLAGS.map(({ name, type, help }) => ({
    names: name === 'v' ? ['--v', '-v'] : [`--${name}`],
    help,
    values: type === 'bool' ? undefined : serverFlagValues(name),
  }));
}

function flagOf(option: Option): CompletionFlag {
  const names = [option.long, option.short].filter((name) => name !== undefined && name !== null);
  const placeholder = /[<[]([^.>\]]+)/.exec(option.flags)?.[1];
  return {
    names,
    help: option.description,
    values: placeholder === undefined ? undefined : valuesOf(placeholder, option),
  };
}

/** Returns the choices of an argument. Without choices, the name of its placeholder tells a file from a folder. */
function valuesOf(name: string, { argChoices }: Pick<Argument | Option, 'argChoices'>): CompletionValues {
  if (argChoices !== undefined) return oneOf(argChoices);
  if (name === 'file' || name === 'path') return { kind: 'file' };
  return name === 'folder' ? { kind: 'folder' } : NO_VALUES;
}
