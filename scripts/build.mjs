// usage: node scripts/build.mjs [--source-maps]
//
// Builds dist/. tsc writes the library (js and d.ts, file by file); the types of kinds get their descriptions. esbuild
// bundles the command, and the entry points of the library for Node, so that both start fast. Without --source-maps
// nothing refers to source maps, which would be half of the package. With KEELSON_BUILT=1 in the environment a build
// that exists is kept: CI builds once.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleCommand } from './bundle-command.mjs';
import { bundleLibrary } from './bundle-library.mjs';
import { documentTypes } from './document-types.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
if (process.env.KEELSON_BUILT === '1' && existsSync(join(root, 'dist/cli/main.js'))) process.exit(0);
rmSync(join(root, 'dist'), { recursive: true, force: true });
const sourceMaps = process.argv.includes('--source-maps');
const options = ['-p', 'tsconfig.build.json', '--sourceMap', String(sourceMaps)];
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...options], {
  cwd: root,
  stdio: 'inherit',
});
cpSync(join(root, 'src/kinds/descriptions'), join(root, 'dist/kinds/descriptions'), { recursive: true });
await documentTypes(join(root, 'dist'));
await bundleCommand(join(root, 'dist/cli'), { sourceMaps });
await bundleLibrary(join(root, 'dist'), { sourceMaps });
