/**
 * The dispatch of the command line. A command line without a command starts the server. Invariants: importing this file
 * starts nothing; a start of the server imports neither the other commands nor commander, which parses them.
 */
import { isConfigError, isKeelsonError, toError } from '../base/errors.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { ServerCommandLine } from './server-command-line.ts';

/**
 * Runs a command line and resolves with one of EXIT_CODES. Never rejects: it prints an error to standard error, as one
 * sentence. An error that is a fault of this program is printed with its stack.
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    return await dispatch(args);
  } catch (caught) {
    const error = toError(caught);
    console.error(isKeelsonError(error) ? `keelson: ${error.message}` : error);
    return isConfigError(error) ? EXIT_CODES.unusable : EXIT_CODES.failed;
  }
}

async function dispatch(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name.startsWith('-')) return serve(args);
  if (name === 'serve') return serve(rest);
  if (name === 'kube-apiserver') return serve(rest, name);
  if (name === 'envtest-etcd') {
    const { runEtcdStandIn } = await import('./etcd-stand-in.ts');
    return runEtcdStandIn(rest);
  }
  const { runSubcommand } = await import('./subcommands.ts');
  return runSubcommand(args);
}

type ProgramName = 'keelson' | 'kube-apiserver';

/** As `kube-apiserver` the program has flags and no commands, and `--version` prints the line that scripts parse. */
async function serve(args: readonly string[], name: ProgramName = 'keelson'): Promise<number> {
  const { parseServerCommandLine } = await import('./server-command-line.ts');
  const line = parseServerCommandLine(args);
  if (line.asksFor !== undefined) return printInfo(line.asksFor, name);
  const { serveUntilSignal } = await import('./serve.ts');
  return serveUntilSignal(line);
}

async function printInfo(what: NonNullable<ServerCommandLine['asksFor']>, name: ProgramName): Promise<number> {
  if (what === 'help' || (what === 'version' && name === 'keelson')) {
    const { runSubcommand } = await import('./subcommands.ts');
    return runSubcommand([what]);
  }
  const { kubernetesVersionLine, rawVersionLine } = await import('./version-line.ts');
  console.log(what === 'version' ? kubernetesVersionLine() : rawVersionLine());
  return EXIT_CODES.ok;
}
