/** The command line as a tree of commands. Nothing runs before `runCommand`. */
import { Command } from 'commander';
import { isConfigError, isKeelsonError, toError } from '../base/errors.ts';
import { storageCommand } from './storage-command.ts';
import { readVersion } from './version.ts';

function createProgram(): Command {
  const version = readVersion();
  const program = new Command('keelson')
    .description(
      `The Kubernetes API without the cluster.\nThe server is not part of version ${version} yet; the README says what works today.`,
    )
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .allowExcessArguments(false)
    .showHelpAfterError('(keelson --help lists what there is)');
  program
    .command('version')
    .description('print the version of Keelson and of Node')
    .action(() => console.log(`keelson ${version} (node ${process.versions.node})`));
  program.addCommand(storageCommand());
  program.action(() => program.outputHelp());
  return withExitOverride(program);
}

/** Without this commander ends the process itself, subcommands included. */
function withExitOverride(command: Command): Command {
  command.exitOverride();
  for (const child of command.commands) withExitOverride(child);
  return command;
}

/**
 * Runs a command line and resolves with the exit code: 0 done, 1 it failed or found damage, 2 the command line or configuration is wrong.
 * Never rejects: what goes wrong is one sentence on standard error.
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (caught) {
    const error = toError(caught);
    const { code, exitCode } = error as { code?: unknown; exitCode?: unknown };
    if (typeof code === 'string' && code.startsWith('commander.')) return exitCode === 0 ? 0 : 2;
    console.error(isKeelsonError(error) ? `keelson: ${error.message}` : error);
    return isConfigError(error) ? 2 : 1;
  }
}
