// Packs the package, installs the tarball into an empty project and uses it: imports every entry point and runs the
// command.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Entry points that export only types. */
const TYPES_ONLY = ['./kinds'];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'keelson-pack-'));
const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
try {
  const [{ filename, files }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], root));
  const unwanted = files
    .map((file) => file.path)
    .filter((path) => !/^(dist\/|package\.json$|README\.md$|LICENSE$)/.test(path) || /\.test\./.test(path));
  if (unwanted.length > 0) throw new Error(`the package contains ${unwanted.join(', ')}`);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  run('npm', ['install', '--no-fund', '--no-audit', join(folder, filename)], folder);
  const { name, version, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entryPoints = Object.keys(exports)
    .filter((entryPoint) => !entryPoint.endsWith('.json'))
    .map((entryPoint) => entryPoint.replace('*', 'apps/v1'));
  const script = entryPoints
    .map(
      (entryPoint) =>
        `console.log(Object.keys(await import('${name}${entryPoint.slice(1)}')).length > 0 || ${TYPES_ONLY.includes(entryPoint)} ? 'ok' : 'EMPTY', '${entryPoint}');`,
    )
    .join('\n');
  const output = run(process.execPath, ['--input-type=module', '-e', script], folder);
  process.stdout.write(output);
  if (output.includes('EMPTY')) throw new Error('an entry point exports nothing');
  const printed = run(join(folder, 'node_modules', '.bin', 'keelson'), ['version'], folder);
  if (!printed.includes(version)) throw new Error(`keelson version printed ${printed}`);
  await startServer(folder);
  process.stdout.write(`${filename}: ${files.length} files, ${entryPoints.length} entry points, command ${printed}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Starts the server on any port, waits for its address, and expects exit code 0 after SIGTERM. */
async function startServer(cwd) {
  const bin = join(cwd, 'node_modules', '.bin', 'keelson');
  const child = spawn(bin, ['--secure-port=0', '--data-dir=data'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = once(child, 'exit');
  let said = '';
  const ready = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
        if (/serves the Kubernetes API at https:/.test(said)) resolve();
      });
  });
  const failed = exit.then(([code]) => {
    throw new Error(`the server ended with ${code}:\n${said}`);
  });
  await Promise.race([ready, failed]);
  failed.catch(() => undefined);
  child.kill('SIGTERM');
  const [code] = await exit;
  if (code !== 0) throw new Error(`the server ended with ${code} after SIGTERM:\n${said}`);
}
