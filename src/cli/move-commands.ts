/** The commands `keelson storage export`, `import` and `migrate`: moves of all data between stores. */
import { Command } from 'commander';
import { withExamples } from './command-tree.ts';
import { addStoreFlags, type StoreFlags } from './store-flags.ts';

export function exportCommand(): Command {
  const command = new Command('export')
    .description('write the objects of a data folder or an etcd cluster to an etcd snapshot file')
    .argument('<file>', 'the file to make; it contains Secrets and only its owner can read it');
  addStoreFlags(command, '', 'the source').action(async (file: string, flags: StoreFlags) => {
    const { exportStore } = await import('./move-data-command.ts');
    await exportStore(file, flags);
  });
  return withExamples(withOutput(command), [
    ['keelson storage export monday.db', 'export .keelson, also while its server runs'],
    ['keelson storage export monday.db --data-dir backups/monday', 'export the objects of a backup'],
    ['keelson storage export monday.db --etcd-servers http://127.0.0.1:2379', 'export what a kube-apiserver stores'],
  ]);
}

export function importCommand(): Command {
  const command = new Command('import')
    .description('fill a data folder or an etcd cluster that no server uses with an etcd snapshot file')
    .argument(
      '<snapshot>',
      'a file of "etcdctl snapshot save" or "keelson storage export", or a stopped member\'s folder',
    )
    .option('--snapshot-prefix <prefix>', 'the first part of the keys in the snapshot', '/registry');
  addStoreFlags(withTarget(command), '', 'the target').action(async (file: string, flags: StoreFlags) => {
    const { importSnapshot } = await import('./move-data-command.ts');
    await importSnapshot(file, flags);
  });
  return withExamples(withOutput(command), [
    ['keelson storage import backup.db --data-dir restored', 'fill a new data folder'],
    ['keelson storage import backup.db --etcd-servers http://127.0.0.1:2379', 'fill an empty etcd cluster'],
  ]);
}

export function migrateCommand(): Command {
  const command = new Command('migrate').description(
    'copy all objects between data folders and etcd clusters that no server uses',
  );
  addStoreFlags(addStoreFlags(withTarget(command), 'from-', 'the source'), 'to-', 'the target').action(
    async (flags: StoreFlags) => {
      const { migrateStore } = await import('./move-data-command.ts');
      await migrateStore(flags);
    },
  );
  return withExamples(withOutput(command), [
    [
      'keelson storage migrate --from-data-dir .keelson --to-etcd-servers http://127.0.0.1:2379',
      'move from one machine to etcd',
    ],
    [
      'keelson storage migrate --from-etcd-servers http://127.0.0.1:2379 --to-data-dir .keelson',
      'move from etcd to a data folder',
    ],
  ]);
}

function withTarget(command: Command): Command {
  return command
    .option('--replace', 'replace the objects of a target that has some, or has an unfinished import')
    .option(
      '--bump-revision <number>',
      'how far the next revision is above that of the source (default 0; 1000000000 for import to a data folder)',
    )
    .option(
      '--restart-revisions',
      'do not raise the revision of etcd to that of the source, which takes a write each; restart every client then',
    );
}

function withOutput(command: Command): Command {
  return command.option('-o, --output <format>', 'table or json', 'table').option('-q, --quiet', 'show no progress');
}
