// Packs the package, installs the tarball into an empty project and uses it: imports every entry point, compiles a
// program against their types, and runs the command.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
    .filter((path) => !/^(dist\/|package\.json$|README\.md$|LICENSE$)/.test(path) || /\.test\.|\.map$/.test(path));
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
  checkBundle(name, folder);
  checkSourceMaps(join(folder, 'node_modules', name, 'dist'));
  checkUncaughtError(name, folder);
  compileAgainst(name, entryPoints, folder);
  const printed = run(join(folder, 'node_modules', '.bin', 'keelson'), ['version'], folder);
  if (!printed.includes(version)) throw new Error(`keelson version printed ${printed}`);
  await startServer(folder);
  process.stdout.write(`${filename}: ${files.length} files, ${entryPoints.length} entry points, command ${printed}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Expects that Node loads the bundle, in which a module exists once for all entry points, and that bundlers and the
 * condition `module` get the separate files, with the same names.
 */
function checkBundle(name, cwd) {
  const program = `
    const [extension, server] = [await import('${name}/extension'), await import('${name}/server')];
    if (extension.defineResource !== server.defineResource) throw new Error('defineResource exists twice');
    console.log(import.meta.resolve('${name}/extension').split('/dist/')[1], Object.keys(extension).sort().join());`;
  const evaluate = (...flags) =>
    run(process.execPath, [...flags, '--input-type=module', '-e', program], cwd).split(' ');
  const [bundled, names] = evaluate();
  const [separate, sameNames] = evaluate('--conditions=module');
  if (bundled !== 'bundle/extension.js') throw new Error(`Node loads ${bundled}`);
  if (separate !== 'extension/index.js') throw new Error(`with the condition module Node loads ${separate}`);
  if (names !== sameNames) throw new Error(`the bundle exports ${names}, the separate files ${sameNames}`);
  process.stdout.write('ok bundle for Node, separate files for bundlers\n');
}

/** Expects that no file refers to a source map: bundlers warn about maps that do not exist. */
function checkSourceMaps(dist) {
  const files = readdirSync(dist, { recursive: true }).filter((path) => /\.(c|m)?js$|\.d\.ts$/.test(path));
  const referring = files.filter((path) => readFileSync(join(dist, path), 'utf8').includes('\n//# sourceMappingURL='));
  if (referring.length > 0)
    throw new Error(`${referring.length} files refer to source maps, such as ${referring[0]}: build without them`);
}

/** Expects that an uncaught error names a file of the package, not one of the build, and shows a short line of code. */
function checkUncaughtError(name, cwd) {
  const program = `(await import('${name}/node')).connect({ kubeconfig: 'absent.kubeconfig' })`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd, encoding: 'utf8' });
  if (!stderr.includes('absent.kubeconfig does not exist')) throw new Error(`an uncaught error prints ${stderr}`);
  if (stderr.includes(root)) throw new Error(`a stack trace names the folder of the build:\n${stderr}`);
  const longest = Math.max(...stderr.split('\n').map((line) => line.length));
  if (longest > 1000) throw new Error(`an uncaught error prints a line of ${longest} characters`);
}

/**
 * Compiles a program that imports every entry point, with the checks of declaration files on: with `@types/node` and
 * without any types of Node or of browsers, as Node and as bundlers resolve modules.
 */
function compileAgainst(name, entryPoints, cwd) {
  const imports = entryPoints.map((entryPoint, i) => `export type * as e${i} from '${name}${entryPoint.slice(1)}';`);
  const use = [
    `import { startControlPlane } from '${name}';`,
    `export const url = async (): Promise<string> => (await startControlPlane({ storage: 'memory' })).url;`,
    '// @ts-expect-error an unknown option',
    `export const bad = (): unknown => startControlPlane({ storge: 'memory' });`,
  ];
  writeFileSync(join(cwd, 'use.ts'), [...imports, ...use, ''].join('\n'));
  for (const types of [[], ['node']])
    for (const moduleResolution of ['node16', 'bundler']) {
      const compilerOptions = {
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        target: 'es2022',
        lib: ['es2022'],
        module: moduleResolution === 'bundler' ? 'esnext' : moduleResolution,
        moduleResolution,
        types,
        typeRoots: [join(root, 'node_modules', '@types')],
      };
      writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['use.ts'] }));
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      execFileSync(process.execPath, [tsc, '-p', '.'], { cwd, stdio: 'inherit' });
      const which = types.length === 0 ? 'without' : 'with';
      process.stdout.write(`ok types ${which} @types/node, ${moduleResolution}\n`);
    }
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
