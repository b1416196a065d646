/** `keelson storage`: looks after a data folder while no server uses it. */
import { Command } from 'commander';
import { verifyFolder } from '../storage/lmdb/verify.ts';

export function storageCommand(): Command {
  const command = new Command('storage').description('look after a data folder').helpCommand(false);
  command
    .command('verify')
    .argument('<folder>', 'a data folder that no server uses at the moment')
    .description('check every record and index of a data folder; exits 1 if anything is damaged')
    .action(async (folder: string) => {
      const report = await verifyFolder(folder);
      for (const problem of report.problems) console.log(`damaged: ${problem}`);
      console.log(
        `revision ${report.revision}, ${report.keys} keys, ${report.records} records, ${report.problems.length} problems`,
      );
      if (report.problems.length > 0) process.exitCode = 1;
    });
  return command;
}
