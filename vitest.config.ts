import { defineConfig, type ViteUserConfig } from 'vitest/config';

// Unit tests share threads without isolation (they hold no global state); tests that open LMDB or sockets or start
// child processes run in forks, one file at a time, so that a native crash names its file and a count of open handles means something.
const forked = [
  'src/storage/lmdb/**/*.test.ts',
  'src/node/**/*.test.ts',
  'src/controlplane/node/**/*.test.ts',
  'src/extension/node/**/*.test.ts',
  'src/cli/**/*.test.ts',
  'test/process/**/*.test.ts',
  'test/aggregator/**/*.test.ts',
  'test/webhook/**/*.test.ts',
];

const config: ViteUserConfig = defineConfig({
  test: {
    testTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: forked,
          pool: 'threads',
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'forked', include: forked, pool: 'forks', fileParallelism: false },
      },
    ],
  },
});

export default config;
