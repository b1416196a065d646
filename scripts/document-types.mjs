// Adds the descriptions of built-in types to their declarations in dist/, so that editors show them. Uses the code that
// tsc has just written to dist/.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Rewrites the d.ts files below `dist/kinds/api`: `core/v1.d.ts` declares the package `core-v1`. */
export async function documentTypes(dist) {
  const load = (path) => import(pathToFileURL(join(dist, path)).href);
  const [{ annotateTypes }, { KindDescriptions }, { describeKindField }, { packages }] = await Promise.all([
    load('kinds/annotate-types.js'),
    load('kinds/descriptions.js'),
    load('apimachinery/facts/meta-descriptions.js'),
    load('kinds/facts/all.js'),
  ]);
  const descriptions = new KindDescriptions((packageId) => {
    const file = join(dist, 'kinds/descriptions', `${packageId}.txt`);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  });
  const folder = join(dist, 'kinds/api');
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const packageId = name.slice(0, -'.d.ts'.length).replaceAll(/[\\/]/g, '-');
    const prefix = packages.find(({ id }) => id === packageId)?.modelPrefix;
    if (prefix === undefined) throw new Error(`${name} declares no package`);
    const file = join(folder, name);
    const text = readFileSync(file, 'utf8');
    const kinds = new Set([...text.matchAll(/^export interface (\w+) \{\n {4}kind\?: '/gm)].map(([, type]) => type));
    const describe = (type, field) =>
      descriptions.describe(prefix + type, field) ??
      (field !== undefined && kinds.has(type) ? describeKindField(type, field) : undefined);
    writeFileSync(file, annotateTypes(text, describe));
  }
}
