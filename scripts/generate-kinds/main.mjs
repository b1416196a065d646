// Builds the generator with Go and writes src/kinds/facts anew. usage: node scripts/generate-kinds/main.mjs [--check]
// --check writes into a scratch folder instead and fails if what is checked in differs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(source));
const kept = join(root, 'src', 'kinds', 'facts');
const isCheck = process.argv.includes('--check');
// Beside the real one, so that formatting follows the same configuration.
const target = isCheck ? join(root, 'src', 'kinds', 'facts.check') : kept;
const binary = join(root, '.cache', 'generate-kinds');

const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, stdio: 'inherit', env: { ...process.env, CGO_ENABLED: '0' } });

mkdirSync(join(root, '.cache'), { recursive: true });
run('go', ['build', '-buildvcs=false', '-o', binary, '.'], source);
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
try {
  run(binary, [target], root);
  run(
    process.execPath,
    [join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome'), 'check', '--write', '--log-level=error', target],
    root,
  );
  if (isCheck) process.exitCode = compare() ? 0 : 1;
} finally {
  if (isCheck) rmSync(target, { recursive: true, force: true });
}

function compare() {
  const names = [...new Set([...readdirSync(kept), ...readdirSync(target)])].sort();
  const read = (folder, name) =>
    readdirSync(folder).includes(name) ? readFileSync(join(folder, name), 'utf8') : undefined;
  const changed = names.filter((name) => read(kept, name) !== read(target, name));
  for (const name of changed) console.error(`${relative(root, join(kept, name))} is not what the generator writes`);
  return changed.length === 0;
}
