/**
 * The objects of upstream's integration tests, read from the Go module at run time: one stub for each resource, and
 * statuses and specs that differ from it. Nothing of them is stored here.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/base/json-value.ts';
import { ROOT, requireTool } from '../peers/programs.ts';

const KUBERNETES = 'k8s.io/kubernetes@v1.36.3';
const TESTS = join('test', 'integration');

export interface Stubs {
  /** By `group/version/resource`. */
  readonly objects: ReadonlyMap<string, JsonObject>;
  readonly statuses: ReadonlyMap<string, JsonObject>;
  readonly otherSpecs: ReadonlyMap<string, JsonObject>;
  readonly otherStatuses: ReadonlyMap<string, JsonObject>;
}

/** Throws if Go is missing or the module has no such files. */
export function readStubs(namespace: string): Stubs {
  requireTool('go', ['version'], 'the stubs of upstream need Go 1.26 on the PATH');
  const text = execFileSync('go', ['mod', 'download', '-json', KUBERNETES], {
    cwd: join(ROOT, 'compat', 'reference', 'oracle'),
    encoding: 'utf8',
  });
  const folder = join((JSON.parse(text) as { Dir: string }).Dir, TESTS);
  const read = (...path: readonly string[]): string => readFileSync(join(folder, ...path), 'utf8');
  const variables = new Map([
    ['namespace', namespace],
    ['image', 'image:1'],
    ['image2', 'image:2'],
  ]);
  const reset = read('apiserver', 'apply', 'reset_fields_test.go');
  const stubs: Stubs = {
    objects: parseEntries(read('etcd', 'data.go'), variables),
    statuses: parseEntries(variableOf(read('apiserver', 'apply', 'status_test.go'), 'statusData'), variables),
    otherSpecs: parseEntries(variableOf(reset, 'resetFieldsSpecData'), variables),
    otherStatuses: parseEntries(variableOf(reset, 'resetFieldsStatusData'), variables),
  };
  if (stubs.objects.size < 50) throw new Error(`only ${stubs.objects.size} stubs found in ${KUBERNETES}`);
  return stubs;
}

/** Returns the text of a package variable, to the end of its literal. */
function variableOf(source: string, name: string): string {
  const start = source.indexOf(`var ${name} = `);
  if (start < 0) throw new Error(`${KUBERNETES} has no variable ${name}`);
  return source.slice(start, source.indexOf('\n}', start));
}

/** Parses `gvr("apps", "v1", "deployments"): <text>` and `gvr(...): {Stub: <text>, ...}`. Skips invalid JSON. */
function parseEntries(source: string, variables: ReadonlyMap<string, string>): Map<string, JsonObject> {
  const entries = new Map<string, JsonObject>();
  const key = /^\t+gvr\("([^"]*)", "([^"]*)", "([^"]*)"\):\s*(?:\{\s*Stub:\s*)?(?=`)/gm;
  for (const match of source.matchAll(key)) {
    const [whole, group, version, resource] = match;
    try {
      const text = parseText(source.slice(match.index + whole.length), variables);
      entries.set(`${group}/${version}/${resource}`, JSON.parse(text) as JsonObject);
    } catch (error) {
      // Upstream has a few statuses with a missing quote, which its own tests do not use.
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return entries;
}

/** Evaluates raw Go strings and variables joined by `+`, up to the first other token. */
function parseText(source: string, variables: ReadonlyMap<string, string>): string {
  const token = /\s*(?:`([^`]*)`|(\w+))\s*(\+)?/y;
  let text = '';
  for (let more: string | undefined = '+'; more !== undefined; ) {
    const match = token.exec(source);
    if (match === null) throw new Error(`cannot read a text of ${KUBERNETES}: ${source.slice(0, 100)}`);
    const [, literal, variable, plus] = match;
    const value = literal ?? variables.get(variable as string);
    if (value === undefined) throw new Error(`a text of ${KUBERNETES} uses the unknown variable ${variable}`);
    text += value;
    more = plus;
  }
  return text;
}
