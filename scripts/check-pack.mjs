// Packs the package, installs the tarball into an empty project and uses it as a user would: every front door is imported, the command runs.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Doors that export types and nothing else. */
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
  const doors = Object.keys(exports)
    .filter((door) => !door.endsWith('.json'))
    .map((door) => door.replace('*', 'apps/v1'));
  const script = doors
    .map(
      (door) =>
        `console.log(Object.keys(await import('${name}${door.slice(1)}')).length > 0 || ${TYPES_ONLY.includes(door)} ? 'ok' : 'EMPTY', '${door}');`,
    )
    .join('\n');
  const output = run(process.execPath, ['--input-type=module', '-e', script], folder);
  process.stdout.write(output);
  if (output.includes('EMPTY')) throw new Error('a front door exports nothing');
  const printed = run(join(folder, 'node_modules', '.bin', 'keelson'), ['version'], folder);
  if (!printed.includes(version)) throw new Error(`keelson version printed ${printed}`);
  await startServer(folder);
  process.stdout.write(`${filename}: ${files.length} files, ${doors.length} front doors, command ${printed}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The server starts on any port, says where it is, and ends with 0 when it is told to. */
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
