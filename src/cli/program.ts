/**
 * The command line: no command starts the server, and every other word is a command of its own. Invariant: nothing runs before `runCommand`, and the way to the server
 * loads neither the other commands nor the library that parses them.
 */
import { isConfigError, isKeelsonError, toError } from '../base/errors.ts';

/**
 * Runs a command line and resolves with the exit code: 0 done; 1 it failed, found damage, or the server's flags cannot be used; 2 the command line of another command is
 * wrong. Never rejects: what goes wrong is one sentence on standard error.
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
  if (line.asksFor !== undefined) return inform(line.asksFor);
  const { serveUntilSignal } = await import('./serve.ts');
  return serveUntilSignal(line);
}

async function inform(what: 'help' | 'version'): Promise<number> {
  if (what === 'help') {
    const { serverHelp } = await import('./server-help.ts');
    console.log(serverHelp());
  } else {
    const { versionLine } = await import('./version.ts');
    console.log(versionLine());
  }
  return 0;
}

async function doctor(args: readonly string[]): Promise<number> {
  const { parseServerCommandLine } = await import('./server-command-line.ts');
  const line = parseServerCommandLine(args);
  if (line.asksFor !== undefined) return inform(line.asksFor);
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
