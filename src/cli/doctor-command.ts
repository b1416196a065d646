/** The command `keelson doctor`: prints one line per check. */
import { Command } from 'commander';
import { withExamples } from './command-tree.ts';

export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description('check whether a server with these flags could start; changes nothing')
    .usage('[FLAGS]')
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText(
      'after',
      '\nTakes the flags of the server, which "keelson --help" lists. Exits with 1 if a check fails.',
    )
    .action(async (_flags: object, { args }: Command) => {
      if (!(await runDoctor(args))) process.exitCode = 1;
    });
  return withExamples(command, [
    ['keelson doctor', 'check Node, the clock, .keelson, the store, port 6443 and the certificates'],
    ['keelson doctor --data-dir=/var/lib/keelson --secure-port=8443', 'check another data folder and another port'],
  ]);
}

/** Resolves with whether all checks passed. Throws ConfigError for invalid flags. */
async function runDoctor(args: readonly string[]): Promise<boolean> {
  const { parseServerCommandLine } = await import('./server-command-line.ts');
  const { options } = parseServerCommandLine(args);
  const { examine } = await import('./doctor.ts');
  const findings = await examine(options.server, Date.now());
  for (const { what, ok, line } of findings) console.log(`${ok ? 'ok  ' : 'FAIL'} ${what}: ${line}`);
  return findings.every(({ ok }) => ok);
}
