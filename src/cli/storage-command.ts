/** The command `keelson storage`: backups, restores and checks of a data folder, and moves of data. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { defaultOptions } from '../controlplane/options.ts';
import { withExamples } from './command-tree.ts';
import { formatBytes } from './format-bytes.ts';
import { exportCommand, importCommand, migrateCommand } from './move-commands.ts';

interface DataFolder {
  readonly dataDir: string;
}

export function storageCommand(): Command {
  return new Command('storage')
    .description('back up, restore and check a data folder, and move data between stores')
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(verifyCommand())
    .addCommand(exportCommand())
    .addCommand(importCommand())
    .addCommand(migrateCommand());
}

function backupCommand(): Command {
  const command = new Command('backup')
    .description('copy the objects and keys of a data folder, also while its server runs, and verify the copy')
    .argument('<folder>', 'the folder to make; it contains private keys and only its owner can read it')
    .option('--data-dir <folder>', 'the data folder of the server', defaultOptions.dataDir)
    .action(async (target: string, { dataDir }: DataFolder) => {
      const { backUpDataFolder } = await import('../controlplane/node/backup.ts');
      const { readPackageVersion } = await import('../node/platform.ts');
      const made = await backUpDataFolder({ dataDir, target, version: readPackageVersion(), now: Date.now() });
      const bytes = Object.values(made.files).reduce((sum, file) => sum + file.bytes, 0);
      console.log(
        `backed up ${made.objects} objects at revision ${made.revision} from ${dataDir} to ${target} (${formatBytes(bytes)}, verified)`,
      );
      if ('pki/ca.key' in made.files)
        console.log('The backup contains the private keys of the server: keep it secret.');
    });
  return withExamples(command, [
    ['keelson storage backup backups/monday', 'back up .keelson'],
    ['keelson storage backup --data-dir /var/lib/keelson /backups/monday', 'back up another data folder'],
  ]);
}

function restoreCommand(): Command {
  const command = new Command('restore')
    .description('fill a data folder that no server uses with the objects and keys of a backup')
    .argument('<folder>', 'the folder of a backup')
    .option(
      '--data-dir <folder>',
      'the data folder to fill; it is created if it does not exist',
      defaultOptions.dataDir,
    )
    .option('--replace', 'replace the objects and keys of a data folder that is not empty')
    .action(async (backup: string, { dataDir, replace = false }: DataFolder & { readonly replace?: boolean }) => {
      const { restoreDataFolder } = await import('../controlplane/node/restore.ts');
      const report = await restoreDataFolder({ backup, dataDir, replace });
      console.log(
        `restored ${report.objects} objects at revision ${report.revision} to ${dataDir} (backup of ${report.created}, verified)`,
      );
      console.log(`New writes continue after revision ${report.nextRevision}, so that every client lists again.`);
    });
  return withExamples(command, [
    ['keelson storage restore backups/monday --data-dir restored', 'restore to a new data folder'],
    ['keelson storage restore backups/monday --replace', 'replace the contents of .keelson'],
  ]);
}

function verifyCommand(): Command {
  const command = new Command('verify')
    .description('check every record and index of a data folder or a backup; exits with 1 if something is damaged')
    .argument('<folder>', 'a data folder that no server is using, its folder storage, or a backup')
    .action(async (folder: string) => {
      const { verifyFolder } = await import('../storage/lmdb/verify.ts');
      const inside = join(folder, 'storage');
      const report = await verifyFolder(existsSync(join(inside, 'data.mdb')) ? inside : folder);
      for (const problem of report.problems) console.log(`damaged: ${problem}`);
      console.log(
        `revision ${report.revision}, ${report.keys} keys, ${report.records} records, ${report.problems.length} problems`,
      );
      if (report.problems.length > 0) process.exitCode = 1;
    });
  return withExamples(command, [
    ['keelson storage verify .keelson', 'check the objects of a server that does not run'],
  ]);
}
