/**
 * The dispatch of the command line: without a command the server starts. Invariant: nothing runs before `runCommand`,
 * and the path to the server loads neither the other commands nor the library that parses them.
 */
import { isConfigError, isKeelsonError, toError } from '../base/errors.ts';
import { EXIT_CODES } from './exit-codes.ts';

/**
 * Runs a command line and resolves with one of EXIT_CODES. Never rejects: an error is one sentence on standard error,
 * and an error that is a fault of this program is printed with its stack.
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
  const { runSubcommand } = await import('./subcommands.ts');
  return runSubcommand(args);
}

async function serve(args: readonly string[]): Promise<number> {
  const { parseServerCommandLine } = await import('./server-command-line.ts');
  const line = parseServerCommandLine(args);
  if (line.asksFor !== undefined) return printInfo(line.asksFor);
  const { serveUntilSignal } = await import('./serve.ts');
  return serveUntilSignal(line);
}

async function printInfo(what: 'help' | 'version'): Promise<number> {
  const { runSubcommand } = await import('./subcommands.ts');
  return runSubcommand([what]);
}
