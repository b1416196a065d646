/** Helpers for trees of commander commands: lookup, examples in the help, and the settings of every command. */
import type { Command } from 'commander';
import { ConfigError } from '../base/errors.ts';
import { nearestName } from '../base/nearest-name.ts';
import { usageErrorText } from './usage-error-text.ts';

/**
 * Returns the command at a path such as `['storage', 'verify']`. Throws ConfigError, with a suggestion, if a part of
 * the path is not a command.
 */
export function findCommand(program: Command, path: readonly string[]): Command {
  let at = program;
  for (const name of path) {
    const found = at.commands.find((command) => command.name() === name);
    if (found === undefined)
      throw unknownCommand(
        name,
        at.commands.map((command) => command.name()),
      );
    at = found;
  }
  return at;
}

export function unknownCommand(name: string, names: readonly string[]): ConfigError {
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? '"keelson help" lists the commands' : `did you mean ${nearest}?`;
  return new ConfigError(`unknown command ${JSON.stringify(name)}: ${hint}`);
}

/** Returns the commands of a tree that have no subcommands, in the order of the help. */
export function leafCommands(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leafCommands);
}

/** Returns the full name of a command: `keelson storage verify`. */
export function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

/** Adds examples to the help of a command. Each example is a command line and a description of what it does. */
export function withExamples(
  command: Command,
  examples: readonly (readonly [commandLine: string, what: string])[],
): Command {
  const lines = examples.flatMap(([commandLine, what]) => [`  # ${what}`, `  ${commandLine}`]);
  return command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'));
}

/**
 * Applies the common settings to a command and all its subcommands. Returns the command. `exitOverride` makes commander
 * throw instead of ending the process.
 */
export function configureTree(command: Command): Command {
  command.helpCommand(false).exitOverride().helpOption('-h, --help', 'print this help');
  command.configureHelp({ helpWidth: 120 });
  command.configureOutput({
    outputError: (text, write) => write(`${usageErrorText(text, fullName(command))}\n`),
  });
  command.commands.forEach(configureTree);
  return command;
}
