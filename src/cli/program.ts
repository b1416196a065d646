/**
 * The dispatch of the command line: without a command the server starts. Invariant: nothing runs before `runCommand`,
 * and the path to the server loads neither the other commands nor the library that parses them.
 */
import { isConfigError, isKeelsonError, toError } from '../base/errors.ts';

/**
 * Runs a command line and resolves with the exit code: 0 for success; 1 if the command failed, found damage, or the
 * flags of the server are invalid; 2 if the command line of another command is invalid. Never rejects: errors are one
 * sentence on standard error.
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name.startsWith('-')) return guard(1, () => serve(args));
  if (name === 'serve') return guard(1, () => serve(rest));
  if (name === 'doctor') return guard(1, () => doctor(rest));
  return guard(2, async () => {
    const { runSubcommand } = await import('./subcommands.ts');
    return runSubcommand(args);
  });
}

async function serve(args: readonly string[]): Promise<number> {
  const { parseServerCommandLine } = await import('./server-command-line.ts');
  const line = parseServerCommandLine(args);
  if (line.asksFor !== undefined) return printInfo(line.asksFor);
  const { serveUntilSignal } = await import('./serve.ts');
  return serveUntilSignal(line);
}

async function printInfo(what: 'help' | 'version'): Promise<number> {
  if (what === 'help') {
    const { serverHelp } = await import('./server-help.ts');
    console.log(serverHelp());
  } else {
    const { versionLine } = await import('./version-line.ts');
    console.log(versionLine());
  }
  return 0;
}

async function doctor(args: readonly string[]): Promise<number> {
  const { parseServerCommandLine } = await import('./server-command-line.ts');
  const line = parseServerCommandLine(args);
  if (line.asksFor !== undefined) return printInfo(line.asksFor);
  const { examine } = await import('./doctor.ts');
  const findings = await examine(line.options.server, Date.now());
  for (const { what, ok, line: text } of findings) console.log(`${ok ? 'ok  ' : 'FAIL'} ${what}: ${text}`);
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

async function guard(configExit: number, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (caught) {
    const error = toError(caught);
    console.error(isKeelsonError(error) ? `keelson: ${error.message}` : error);
    return isConfigError(error) ? configExit : 1;
  }
}
