/** Installs the packed package beside copies of examples and compiles them, as their users would. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../peers/programs.ts';

export interface ExampleProject {
  readonly folder: string;
  remove(): void;
}

export interface ExampleProjects {
  /** The folder of an example, below the folder with the installed package. */
  folder(name: string): string;
  remove(): void;
}

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Needs a build. Throws if an example does not compile in strict mode against the published types. */
export function installExamples(names: readonly string[], packages: readonly string[] = []): ExampleProjects {
  const root = mkdtempSync(join(tmpdir(), 'keelson-examples-'));
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  const folder = (name: string): string => join(root, name);
  try {
    const [{ filename }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', root], ROOT)) as [
      { filename: string },
    ];
    writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'examples', private: true, type: 'module' }));
    const installed = [join(root, filename), '@types/node@20', ...packages];
    run('npm', ['install', '--no-fund', '--no-audit', ...installed], root);
    for (const name of names) {
      const filter = (path: string): boolean => !path.includes('node_modules');
      cpSync(join(ROOT, 'examples', name), folder(name), { recursive: true, filter });
      run(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', folder(name)], folder(name));
    }
    return { folder, remove };
  } catch (caught) {
    remove();
    throw caught;
  }
}

/** Installs one example. */
export function installExample(name: string): ExampleProject {
  const { folder, remove } = installExamples([name]);
  return { folder: folder(name), remove };
}
