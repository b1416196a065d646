/** The command `keelson completion`: prints the completion script of a shell. */
import { Argument, Command } from 'commander';
import { withExamples } from './command-tree.ts';
import { bashCompletion } from './completion-bash.ts';
import { fishCompletion } from './completion-fish.ts';
import { type CompletionNode, completionNodes } from './completion-model.ts';
import { zshCompletion } from './completion-zsh.ts';

/** The script of each shell. */
const SHELLS: Readonly<Record<string, (nodes: readonly CompletionNode[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** `loadProgram` returns the tree of all commands. */
export function completionCommand(loadProgram: () => Promise<Command>): Command {
  const command = new Command('completion')
    .description('print a script that completes commands, flags and values in a shell')
    .addArgument(new Argument('<shell>', 'the shell that loads the script').choices(Object.keys(SHELLS)))
    .action(async (shell: string) => {
      process.stdout.write(SHELLS[shell]?.(completionNodes(await loadProgram())) ?? '');
    });
  return withExamples(command, [
    [
      'keelson completion bash > ~/.local/share/bash-completion/completions/keelson',
      'for bash with the package bash-completion; without it, run: source <(keelson completion bash)',
    ],
    ['keelson completion zsh > ~/.zsh/completions/_keelson', 'for zsh, if that folder is in fpath before compinit'],
    ['keelson completion fish > ~/.config/fish/completions/keelson.fish', 'for fish'],
  ]);
}
