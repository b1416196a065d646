// Rewrites an ES module that esbuild has written with code splitting as a CommonJS module, which vm.Script can run with
// a code cache. Imports of other files of the bundle become constants, which cost nothing when they are used: these
// files import each other in one direction only, and no module exports a variable that changes.
import { transform } from 'esbuild';
import { COMMONJS, LINE_LIMIT } from './bundle-command.mjs';

/** esbuild writes imports of its own files at the beginning, and all exports at the end. */
const CHUNK_IMPORT = /^import(?:(\{[^}]*\})from)?"(\.\/[^"]+)\.js";\s*/;
const EXPORTS = /export\{([^}]*)\};\s*$/;
const CHUNK_ON_CALL = /\bkeelsonRequire\(import\("(\.\/[^"]+)\.js"\)\)/g;
const LAZY_CHUNK = /\bimport\("(\.\/[^"]+)\.js"\)/g;

/** Returns the code and the names of the files that it imports when it is loaded. */
export async function commonJsOf(text) {
  const imports = [];
  const files = [];
  let rest = text;
  for (let found = CHUNK_IMPORT.exec(rest); found !== null; found = CHUNK_IMPORT.exec(rest)) {
    const [statement, names, path] = found;
    const constants = names === undefined ? '' : `const ${names.replaceAll(/ as /g, ':')}=`;
    files.push(`${path}.cjs`);
    imports.push(`${constants}require("${path}.cjs");`);
    rest = rest.slice(statement.length);
  }
  rest = rest
    .replace(EXPORTS, (_, names) => `module.exports={${names.split(',').map(exportOf).join(',')}};`)
    .replace(CHUNK_ON_CALL, 'require("$1.cjs")')
    .replace(LAZY_CHUNK, 'Promise.resolve().then(()=>require("$1.cjs"))');
  const { code } = await transform(imports.join('') + rest, {
    ...COMMONJS,
    // Making the URL takes longer than running a small file.
    banner: rest.includes('import.meta.url') ? COMMONJS.banner.js : '',
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true,
    lineLimit: LINE_LIMIT,
  });
  return { code: `"use strict";${code}`, imports: files };
}

/** `a as b` becomes `b:a`, and `a as"./b"` becomes `"./b":a`. */
function exportOf(item) {
  const [local, exported = local] = item.split(/ as ?/);
  return `${exported}:${local}`;
}
