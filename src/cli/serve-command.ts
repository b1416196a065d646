/** The command `keelson serve`, for help and completion. `program.ts` starts the server and does not load this file. */
import { Command } from 'commander';
import { withExamples } from './command-tree.ts';

export function serveCommand(): Command {
  const command = new Command('serve')
    .description('start the server; the same as keelson without a command')
    .usage('[FLAGS]');
  return withExamples(command, [
    ['keelson serve', 'listen on 127.0.0.1:6443 and keep everything in .keelson'],
    ['keelson serve --secure-port=0 --storage=memory', 'listen on any free port and store nothing on disk'],
  ]);
}
