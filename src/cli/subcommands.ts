/** The commands other than the server, parsed by commander. */
import { Command, CommanderError } from 'commander';
import { crdCommand } from './crd-command.ts';
import { kubeconfigCommand } from './kubeconfig-command.ts';
import { storageCommand } from './storage-command.ts';
import { versionLine } from './version-line.ts';

/** Resolves with the exit code. Rejects with the error of an action. */
export async function runSubcommand(args: readonly string[]): Promise<number> {
  const program = new Command('keelson').helpCommand(false).showHelpAfterError('(keelson --help lists the commands)');
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

/** Without it commander ends the process itself. */
function withExitOverride(command: Command): Command {
  command.exitOverride();
  for (const child of command.commands) withExitOverride(child);
  return command;
}
