// A plugin of esbuild that loads parts of the library when one of their functions is first called. Most servers declare
// no rules in CEL and no patterns that need re2js, which together are a fifth of the code. `commonJsOf` turns the
// imports that this plugin writes into calls of `require`, so they are synchronous.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The functions of each part by the module that exports them. Nothing else of these modules may be imported. */
const PARTS = {
  rules: {
    'src/schema/rules/check-rules.ts': ['checkRules'],
    'src/schema/rules/evaluate-rules.ts': ['evaluateRules'],
    'src/schema/rules/rule-tree.ts': ['ruleTree'],
  },
  re2js: { 'src/base/re2/compile-re2js.ts': ['compileRe2js'] },
};

const partOf = new Map(
  Object.entries(PARTS).flatMap(([part, modules]) => Object.keys(modules).map((path) => [join(root, path), part])),
);

export const loadOnCall = {
  name: 'load-on-call',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, namespace }) => {
      const module = resolve(resolveDir, path);
      return namespace === 'part' || !partOf.has(module) ? undefined : { path: module, namespace: 'on-call' };
    });
    onResolve({ filter: /^part:/ }, ({ path }) => ({ path: path.slice('part:'.length), namespace: 'part' }));
    onLoad({ filter: /./, namespace: 'on-call' }, ({ path }) => {
      const part = partOf.get(path);
      const names = PARTS[part][path.slice(root.length + 1).replaceAll('\\', '/')];
      const calls = names.map((name) => `export const ${name} = (...args) => load().${name}(...args);`);
      return {
        contents: `let part; const load = () => (part ??= keelsonRequire(import('part:${part}')));\n${calls.join('\n')}`,
      };
    });
    onLoad({ filter: /./, namespace: 'part' }, ({ path }) => ({
      contents: Object.entries(PARTS[path])
        .map(([module, names]) => `export { ${names.join(', ')} } from './${module}';`)
        .join('\n'),
      resolveDir: root,
    }));
  },
};
