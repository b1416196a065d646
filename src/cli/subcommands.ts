/** Runs the commands other than the server. Commander parses them. */
import { CommanderError } from 'commander';
import { unknownCommand } from './command-tree.ts';
import { COMMANDS, loadProgram } from './commands.ts';
import { EXIT_CODES } from './exit-codes.ts';

/** Resolves with the exit code. Rejects with the error of an action. Throws ConfigError for an unknown command. */
export async function runSubcommand(args: readonly string[]): Promise<number> {
  const [name = ''] = args;
  const names = COMMANDS.map((entry) => entry.name);
  if (!names.includes(name)) throw unknownCommand(name, names);
  try {
    await (await loadProgram(name)).parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? EXIT_CODES.ok);
  } catch (caught) {
    if (caught instanceof CommanderError) return caught.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.unusable;
    throw caught;
  }
}
