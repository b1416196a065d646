/** Installs the packed package beside a copy of an example, compiles the example and runs it, as its user would. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../peers/programs.ts';

export interface ExampleProject {
  readonly folder: string;
  remove(): void;
}

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Needs a build. Throws if the example does not compile in strict mode against the published types. */
export function installExample(name: string): ExampleProject {
  const folder = mkdtempSync(join(tmpdir(), `keelson-${name}-`));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    cpSync(join(ROOT, 'examples', name), folder, { recursive: true });
    const [{ filename }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], ROOT)) as [
      { filename: string },
    ];
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }));
    run('npm', ['install', '--no-fund', '--no-audit', join(folder, filename), '@types/node@20'], folder);
    run(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', folder], folder);
    return { folder, remove };
  } catch (caught) {
    remove();
    throw caught;
  }
}
