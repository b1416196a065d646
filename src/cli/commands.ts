/**
 * The table of commands: the one place where a command is registered. Help, completion, suggestions and the reference
 * page read it. Invariant: a start of the server imports no module of a command, and any other command line imports
 * only the module of its own command, except for help and completion.
 */
import { Command } from 'commander';
import { configureTree } from './command-tree.ts';

export interface CommandEntry {
  readonly name: string;
  /**
   * Returns a new command. Its description begins in lower case and has no full stop. Each command without
   * subcommands calls `withExamples`.
   */
  load(): Promise<Command>;
}

/** The commands in the order of `keelson --help`. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: 'serve', load: async () => (await import('./serve-command.ts')).serveCommand() },
  { name: 'open', load: async () => (await import('./open-command.ts')).openCommand() },
  { name: 'kubeconfig', load: async () => (await import('./kubeconfig-command.ts')).kubeconfigCommand() },
  { name: 'doctor', load: async () => (await import('./doctor-command.ts')).doctorCommand() },
  { name: 'storage', load: async () => (await import('./storage-command.ts')).storageCommand() },
  { name: 'crd', load: async () => (await import('./crd-command.ts')).crdCommand() },
  { name: 'policy', load: async () => (await import('./policy/policy-command.ts')).policyCommand() },
  { name: 'who', load: async () => (await import('./who-command.ts')).whoCommand() },
  { name: 'envtest', load: async () => (await import('./envtest-command.ts')).envtestCommand() },
  {
    name: 'completion',
    load: async () => (await import('./completion-command.ts')).completionCommand(loadProgram),
  },
  { name: 'help', load: async () => (await import('./help-command.ts')).helpCommand(loadProgram) },
  { name: 'version', load: async () => (await import('./version-command.ts')).versionCommand() },
];

/** Returns the command `keelson` with the subcommand `only`, or with all subcommands by default. */
export async function loadProgram(only?: string): Promise<Command> {
  const program = new Command('keelson');
  for (const { name, load } of COMMANDS) if (only === undefined || only === name) program.addCommand(await load());
  return configureTree(program);
}
