/** The command `keelson version`. */
import { Command } from 'commander';
import { withExamples } from './command-tree.ts';
import { versionLine } from './version-line.ts';

export function versionCommand(): Command {
  const command = new Command('version')
    .description('print the version of Keelson and of Node')
    .action(() => console.log(versionLine()));
  return withExamples(command, [['keelson version', 'print one line, such as keelson 0.1.0 (node 20.20.2)']]);
}
