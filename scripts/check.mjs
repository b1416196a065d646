// `npm run check`: types, lint and format, architecture. Runs all three and fails if one failed.
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const steps = [
  ['types', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json']],
  ['lint', ['node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.']],
  [
    'architecture',
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      'unit',
      'test/architecture.test.ts',
      'test/exports.test.ts',
      'test/documents.test.ts',
    ],
  ],
];
let failed = 0;
for (const [name, args] of steps) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  console.log(`check ${name}: ${status === 0 ? 'ok' : 'FAILED'}`);
  if (status !== 0) failed++;
}
process.exit(failed === 0 ? 0 : 1);
