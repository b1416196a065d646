/** The command `keelson help`, and the text of `keelson --help`. */
import { Command } from 'commander';
import { findCommand, fullName, leafCommands, withExamples } from './command-tree.ts';
import { serverHelp } from './server-help.ts';

/** `loadProgram` returns the tree of all commands. */
export function helpCommand(loadProgram: () => Promise<Command>): Command {
  const command = new Command('help')
    .description('print the help of a command')
    .argument('[command...]', 'a command, such as storage verify')
    .action(async (path: string[]) => {
      const program = await loadProgram();
      if (path.length === 0 || path[0] === 'serve') console.log(programHelp(program));
      else findCommand(program, path).outputHelp();
    });
  return withExamples(command, [
    ['keelson help', 'list all commands and the flags of the server'],
    ['keelson help storage verify', 'print the help of one command'],
  ]);
}

/** Returns the text of `keelson --help`: every command, then the flags of the server. */
export function programHelp(program: Command): string {
  const commands = leafCommands(program)
    .filter((command) => command.name() !== 'serve')
    // The part after a semicolon is a detail for the help of the command itself.
    .map((command) => [usageOf(command), command.description().split(';')[0] as string] as const);
  return serverHelp([['keelson [FLAGS]', 'start the server'], ...commands]);
}

/** Returns the usage with its arguments and required flags: `keelson crd types FILE... -o FOLDER`. */
function usageOf(command: Command): string {
  const name = fullName(command);
  const own = command.usage();
  if (own === '[FLAGS]') return `${name} ${own}`;
  const operands = command.registeredArguments.map((argument) => {
    const shown = `${argument.name().toUpperCase()}${argument.variadic ? '...' : ''}`;
    return argument.required ? shown : `[${shown}]`;
  });
  const required = command.options
    .filter((option) => option.mandatory)
    .map((option) => `${option.short ?? option.long} ${/<(.+)>/.exec(option.flags)?.[1]?.toUpperCase() ?? ''}`);
  return [name, ...operands, ...required].join(' ');
}
