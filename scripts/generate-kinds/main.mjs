// Builds the generator with Go and writes the folders below src that FOLDERS names anew. usage: node scripts/generate-kinds/main.mjs [--check]
// --check writes into a scratch folder only and fails if what is checked in differs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(source));
const src = join(root, 'src');
// Inside src, so that formatting follows the same configuration.
const scratch = join(src, 'generated');
const binary = join(root, '.cache', 'generate-kinds');
const FOLDERS = ['kinds/facts', 'kinds/api', 'kinds/shapes', 'apimachinery/facts/generated'];

const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, stdio: 'inherit', env: { ...process.env, CGO_ENABLED: '0' } });

mkdirSync(join(root, '.cache'), { recursive: true });
run('go', ['build', '-buildvcs=false', '-o', binary, '.'], source);
rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch, { recursive: true });
try {
  run(binary, [source, scratch], root);
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  run(process.execPath, [biome, 'check', '--write', '--log-level=error', scratch], root);
  for (const folder of FOLDERS) {
    if (process.argv.includes('--check')) compare(join(src, folder), join(scratch, folder));
    else {
      rmSync(join(src, folder), { recursive: true, force: true });
      renameSync(join(scratch, folder), join(src, folder));
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function compare(kept, written) {
  const names = new Set([...filesOf(kept), ...filesOf(written)]);
  for (const name of [...names].sort()) {
    if (read(kept, name) === read(written, name)) continue;
    console.error(`${relative(root, join(kept, name))} is not what the generator writes`);
    process.exitCode = 1;
  }
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.ts'));
}

function read(folder, name) {
  return filesOf(folder).includes(name) ? readFileSync(join(folder, name), 'utf8') : undefined;
}
