/** The command `keelson storage`: maintenance of a data folder that no server uses. */
import { Command } from 'commander';
import { verifyFolder } from '../storage/lmdb/verify.ts';
import { withExamples } from './command-tree.ts';

export function storageCommand(): Command {
  const command = new Command('storage').description('maintain a data folder');
  const verify = command
    .command('verify')
    .argument('<folder>', 'a data folder that no server is using')
    .description('check every record and index of a data folder; exits with 1 if something is damaged')
    .action(async (folder: string) => {
      const report = await verifyFolder(folder);
      for (const problem of report.problems) console.log(`damaged: ${problem}`);
      console.log(
        `revision ${report.revision}, ${report.keys} keys, ${report.records} records, ${report.problems.length} problems`,
      );
      if (report.problems.length > 0) process.exitCode = 1;
    });
  withExamples(verify, [
    ['keelson storage verify .keelson/storage', 'check the objects of a server that does not run'],
  ]);
  return command;
}
