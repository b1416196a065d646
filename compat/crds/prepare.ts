/**
 * The preparation of the corpus: CRDs and their objects from Go modules, in .cache/crds. Invariants: the corpus depends
 * only on projects.ts; an existing corpus of the same list is kept, so only the first run needs a network; a module
 * that is not available, or has no CRDs at a listed place, is a failure, never a smaller corpus.
 */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readYaml } from '../../src/apimachinery/codec/yaml/yaml.ts';
import { splitYamlDocuments } from '../../src/apimachinery/codec/yaml/yaml-documents.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import { ROOT, requireTool } from '../peers/programs.ts';
import { PROJECTS, type Project } from './projects.ts';
import { type Definition, isDict, type JsonDict } from './schema.ts';

/** One CRD and the objects that its project ships for it. */
export interface Subject {
  readonly project: string;
  /** `crontabs.example.com`. */
  readonly name: string;
  readonly definition: Definition;
  readonly examples: readonly JsonDict[];
}

/** Increase it when the way of collecting changes. */
const FORMAT = 2;
const MAX_EXAMPLES = 4;
const MAX_EXAMPLE_FILES = 1500;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const DOWNLOAD_TIMEOUT = 300_000;

/** Returns the corpus, made now if it does not exist. Throws one sentence if Go or a module is missing. */
export async function prepareCorpus(): Promise<readonly Subject[]> {
  const folder = join(ROOT, '.cache', 'crds');
  const key = createHash('sha256')
    .update(JSON.stringify([FORMAT, PROJECTS]))
    .digest('hex')
    .slice(0, 16);
  const file = join(folder, `corpus-${key}.json`);
  if (!existsSync(file)) {
    requireTool('go', ['version'], 'the CRDs come in Go modules, and getting them needs Go 1.26 on the PATH');
    mkdirSync(folder, { recursive: true });
    const places = await download(PROJECTS);
    const subjects = harvest(PROJECTS, places);
    writeFileSync(`${file}.new`, JSON.stringify(subjects));
    renameSync(`${file}.new`, file);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Subject[];
}

/** Returns the folder of each module. All are downloaded in one command, which runs in parallel. */
async function download(projects: readonly Project[]): Promise<ReadonlyMap<string, string>> {
  console.log(`getting ${projects.length} modules (a minute, once)`);
  const wanted = projects.map(({ module, version }) => `${module}@${version}`);
  const root = execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim();
  const answer = await promisify(execFile)('go', ['mod', 'download', '-json', ...wanted], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: DOWNLOAD_TIMEOUT,
  }).catch((error: { stdout?: string; message: string }) => {
    if (error.stdout === undefined || error.stdout === '') throw new Error(`go mod download failed: ${error.message}`);
    return { stdout: error.stdout };
  });
  const places = new Map<string, string>();
  const failures: string[] = [];
  for (const text of answer.stdout.split(/(?<=^\})\n/m)) {
    if (text.trim() === '') continue;
    const { Path, Dir, Error: failure } = JSON.parse(text) as { Path: string; Dir?: string; Error?: string };
    if (Dir === undefined) failures.push(`${Path}: ${failure ?? 'no folder'}`);
    else places.set(Path, Dir);
  }
  if (failures.length > 0) throw new Error(`modules that cannot be had:\n${failures.join('\n')}`);
  return places;
}

function harvest(projects: readonly Project[], places: ReadonlyMap<string, string>): Subject[] {
  const subjects = new Map<string, { project: string; definition: Definition; examples: JsonDict[] }>();
  for (const project of projects) {
    const root = places.get(project.module);
    if (root === undefined) throw new Error(`go mod download did not tell where ${project.module} is`);
    for (const place of project.crds) {
      const found = filesOf(join(root, place), false).flatMap(documentsOf).filter(isDefinition);
      if (found.length === 0) throw new Error(`${project.module} ${project.version} has no CRDs in ${place}`);
      for (const definition of found) {
        // If several projects ship a CRD, the first keeps it.
        const { name } = definition.metadata;
        if (!subjects.has(name)) subjects.set(name, { project: project.name, definition, examples: [] });
      }
    }
  }
  const byKind = new Map(
    [...subjects.values()].map((subject) => [
      `${subject.definition.spec.group}/${subject.definition.spec.names.kind}`,
      subject,
    ]),
  );
  for (const project of projects) {
    const root = places.get(project.module) as string;
    const files = (project.examples ?? []).flatMap((place) => filesOf(join(root, place), true));
    for (const file of files.slice(0, MAX_EXAMPLE_FILES)) {
      for (const document of documentsOf(file)) {
        const { apiVersion, kind } = document;
        if (typeof apiVersion !== 'string' || typeof kind !== 'string') continue;
        const subject = byKind.get(`${apiVersion.split('/')[0]}/${kind}`);
        if (subject !== undefined && subject.examples.length < MAX_EXAMPLES) subject.examples.push(document);
      }
    }
  }
  return [...subjects].map(([name, subject]) => ({ name, ...subject }));
}

/** Sorted, so that the corpus does not depend on the file system. */
function filesOf(place: string, deep: boolean): string[] {
  if (!existsSync(place)) return [];
  if (statSync(place).isFile()) return [place];
  return readdirSync(place, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(place, entry.name);
      if (entry.isDirectory()) return deep ? filesOf(path, true) : [];
      return /\.ya?ml$/.test(entry.name) && statSync(path).size <= MAX_FILE_BYTES ? [path] : [];
    });
}

/** Returns the objects in a file. Templates and other text that is not YAML have none. */
function documentsOf(file: string): JsonDict[] {
  const text = readFileSync(file, 'utf8');
  if (!/^(?:apiVersion|"?kind"?):/m.test(text)) return [];
  const split = splitYamlDocuments(text);
  if (!split.ok) return [];
  return split.documents.flatMap((document) => {
    const read = readYaml(document, { maxBytes: MAX_FILE_BYTES });
    if (!read.ok || !isJsonObject(read.value)) return [];
    return [plain(read.value)];
  });
}

/** Without bigints, which JSON.stringify does not accept. */
function plain(value: JsonObject): JsonDict {
  return JSON.parse(
    JSON.stringify(value, (_key, child: JsonValue) => (typeof child === 'bigint' ? Number(child) : child)),
  ) as JsonDict;
}

function isDefinition(document: JsonDict): document is Definition & JsonDict {
  const { kind, spec, metadata } = document;
  return (
    kind === 'CustomResourceDefinition' &&
    isDict(metadata) &&
    typeof metadata['name'] === 'string' &&
    isDict(spec) &&
    Array.isArray(spec['versions'])
  );
}
