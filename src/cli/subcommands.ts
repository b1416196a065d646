/** The commands beside the server, parsed by commander. */
import { Command, CommanderError } from 'commander';
import { crdCommand } from './crd-command.ts';
import { kubeconfigCommand } from './kubeconfig-command.ts';
import { storageCommand } from './storage-command.ts';
import { versionLine } from './version.ts';

/** Resolves with the exit code; rejects with what an action throws. */
export async function runSubcommand(args: readonly string[]): Promise<number> {
  const program = new Command('keelson').helpCommand(false).showHelpAfterError('(keelson --help lists what there is)');
  program
    .command('version')
    .description('print the version of Keelson and of Node')
    .action(() => console.log(versionLine()));
  program.addCommand(kubeconfigCommand());
  program.addCommand(storageCommand());
  program.addCommand(crdCommand());
  try {
    await withExitOverride(program).parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (caught) {
    if (caught instanceof CommanderError) return caught.exitCode === 0 ? 0 : 2;
    throw caught;
  }
}

/** Without this commander ends the process itself, subcommands included. */
function withExitOverride(command: Command): Command {
  command.exitOverride();
  for (const child of command.commands) withExitOverride(child);
  return command;
}
