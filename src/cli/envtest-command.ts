/** The command `keelson envtest`: writes a folder of programs for Go's envtest. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { ConfigError } from '../base/errors.ts';
import { withExamples } from './command-tree.ts';
import { writeEnvtestAssets } from './envtest-assets.ts';
import { shellQuote } from './start-message.ts';

export function envtestCommand(): Command {
  const command = new Command('envtest')
    .argument('<folder>', 'the folder to write; it is created if it does not exist')
    .description('write a folder of programs for KUBEBUILDER_ASSETS, so that tests with Go envtest run on this server')
    .addHelpText(
      'after',
      [
        '',
        'Downloads nothing. The folder contains',
        '  kube-apiserver  this server; objects are kept in memory, and --storage=lmdb changes that',
        '  etcd            stores nothing: it answers the health check of envtest and stops on SIGTERM',
        '  kubectl         a link to the kubectl in PATH, if there is one',
      ].join('\n'),
    )
    .action(run);
  return withExamples(command, [
    ['keelson envtest bin', 'write the programs to the folder bin'],
    ['keelson envtest bin && KUBEBUILDER_ASSETS=$PWD/bin go test ./...', 'run the tests of a Go project with them'],
  ]);
}

async function run(given: string): Promise<void> {
  if (process.platform === 'win32')
    throw new ConfigError('keelson envtest writes shell scripts, which envtest cannot start on Windows: use WSL');
  const { folder, kubectl } = await writeEnvtestAssets({
    folder: given,
    node: process.execPath,
    // The bundled command: main.js is in the folder of this file.
    command: fileURLToPath(new URL('main.js', import.meta.url)),
    path: process.env['PATH'] ?? '',
  });
  const shown = relative('', folder) || '.';
  console.log(
    [
      `${shown}/kube-apiserver starts this server, with its objects in memory.`,
      `${shown}/etcd stores nothing; it only answers envtest.`,
      kubectl === undefined
        ? `${shown}/kubectl is missing, because there is no kubectl in PATH. Only tests that call kubectl need it.`
        : `${shown}/kubectl is ${kubectl}.`,
      'Next:',
      '',
      `  export KUBEBUILDER_ASSETS=${shellQuote(folder)}`,
      '  go test ./...',
    ].join('\n'),
  );
}
