// Runs a TypeScript entry file on any supported Node: esbuild bundles it into .cache/run (packages stay external), then
// Node runs the bundle. usage: node scripts/run-ts.mjs [--node-flag=... --] entry.ts [args]
import { spawn } from 'node:child_process';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = process.argv.slice(2);
const split = args.indexOf('--');
const nodeFlags = split >= 0 && args[0]?.startsWith('--') ? args.splice(0, split + 1).slice(0, -1) : [];
const [entry, ...rest] = args;
if (entry === undefined) {
  console.error('usage: node scripts/run-ts.mjs [node flags --] entry.ts [args]');
  process.exit(2);
}
const source = resolve(root, entry);
// Keeps the bundle of an entry outside the repository inside the folder.
const place = relative(root, source).replaceAll('..', 'outside');
const outfile = join(root, '.cache', 'run', place.replace(/\.ts$/, '.mjs'));
await build({
  entryPoints: [source],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  sourcemap: 'inline',
  logLevel: 'warning',
});
const child = spawn(process.execPath, [...nodeFlags, '--enable-source-maps', outfile, ...rest], {
  stdio: 'inherit',
  cwd: root,
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
