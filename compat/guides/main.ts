/**
 * Runs every guide: writes its files, runs its commands in order, compares their output. Each guide gets a project of
 * its own with the packed package, kubectl and the packages that guides use.
 * usage: main.ts [GUIDE ...]
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { program, ROOT, requireTool } from '../peers/programs.ts';
import { parseGuide } from './parse-guide.ts';
import { Session } from './session.ts';

/** Packages that the guides tell their reader to install. They are installed once, for all guides. */
const PACKAGES = ['typescript@7', '@types/node@20', '@kubernetes/client-node@1', 'node-sqlite3-wasm@0.8', 'zod@4'];

/** A command that is not run: the packages must be among those of the template, and `keelson` is the packed package. */
const INSTALL = /^npm install (.+)$/;
/** A command that needs an `npm install typescript` before it. */
const TSC = /^npx tsc\b/;

const folder = mkdtempSync(join(tmpdir(), 'keelson-guides-'));
const npm = (args: readonly string[], cwd: string): string =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

function template(): string {
  const made = join(folder, 'template');
  execFileSync('mkdir', ['-p', made]);
  const [{ filename }] = JSON.parse(npm(['pack', '--json', '--pack-destination', folder], ROOT)) as [
    { filename: string },
  ];
  writeFileSync(join(made, 'package.json'), JSON.stringify({ name: 'guide', private: true, type: 'module' }));
  npm(['install', '--no-fund', '--no-audit', '--silent', join(folder, filename), ...PACKAGES], made);
  return made;
}

/** Commands of a guide share the caches of Go with this machine: HOME is another one. */
function goCaches(): Record<string, string> {
  const names = ['GOMODCACHE', 'GOCACHE', 'GOPROXY', 'GOSUMDB', 'GONOSUMDB'];
  const values = execFileSync('go', ['env', ...names], { encoding: 'utf8' }).split('\n');
  return Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']));
}

/** Returns a sentence about packages that a guide installs and the template does not have. */
function notInTemplate(packages: readonly string[], project: string): string | undefined {
  const absent = packages.filter((name) => !existsSync(join(project, 'node_modules', name)));
  return absent.length === 0 ? undefined : `PACKAGES of compat/guides/main.ts does not have ${absent.join(', ')}`;
}

async function runGuide(name: string, project: string): Promise<number> {
  const home = join(folder, name, 'project');
  cpSync(project, home, { recursive: true });
  // The programs that guides use besides the package.
  const path = [...new Set([dirname(program('kubectl')), dirname(program('kube-controller-manager'))])]
    .concat(process.env['PATH'] ?? '')
    .join(delimiter);
  const session = new Session(home, {
    PATH: path,
    HOME: home,
    LC_ALL: 'C',
    TZ: 'UTC',
    NO_COLOR: '1',
    npm_config_update_notifier: 'false',
    ...goCaches(),
  });
  const installed = new Set<string>();
  let failed = 0;
  let commands = 0;
  try {
    for (const step of parseGuide(readFileSync(join(ROOT, 'docs', 'guides', `${name}.md`), 'utf8'))) {
      if (step.kind === 'file') {
        session.write(step);
        continue;
      }
      commands++;
      const packages = INSTALL.exec(step.text)?.[1]?.split(' ');
      for (const one of packages ?? []) installed.add(one);
      let printed: string | undefined;
      if (packages !== undefined) printed = notInTemplate(packages, home);
      else if (TSC.test(step.text) && !installed.has('typescript')) printed = 'the guide does not install typescript';
      else printed = await session.run(step);
      if (printed === undefined) continue;
      failed++;
      console.log(
        `FAIL docs/guides/${name}.md:${step.line}: ${step.text}\nexpected:\n${step.expected.join('\n')}\nprinted:\n${printed}`,
      );
    }
  } finally {
    session.stop();
  }
  console.log(`${name}: ${commands - failed} of ${commands} commands as written`);
  return failed;
}

requireTool('go', ['version'], 'the guides need Go 1.26 on the PATH');
const chosen = process.argv.slice(2);
const guides = readdirSync(join(ROOT, 'docs', 'guides'))
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.replace(/\.md$/, ''))
  .filter((name) => chosen.length === 0 || chosen.includes(name));
let failed = 0;
try {
  const project = template();
  for (const name of guides) failed += await runGuide(name, project);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${guides.length} guides, ${failed} commands that do not print what they should`);
process.exitCode = failed === 0 ? 0 : 1;
