/** The command `keelson crd check`: reports problems of definitions, and of objects of the kinds that they define. */
import { count } from '../base/count.ts';
import type { CheckedCrd, PlacedCost } from '../scaffold/crd-check.ts';
import type { Finding } from '../scaffold/finding.ts';
import { createObjectChecker } from '../scaffold/object-check.ts';
import { readCrds, readInput, requireOneStdin } from './crd-input.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { findingJson, findingText, githubCommand, type OutputFormat, sortFindings } from './finding-format.ts';
import { Progress } from './progress.ts';

export interface CheckOptions {
  readonly objects?: readonly string[];
  readonly costs?: boolean;
  readonly output: OutputFormat;
}

interface ObjectCounts {
  checked: number;
  /** Objects that were not checked because their definition has problems. */
  blocked: number;
  /** Objects that were not checked because no definition defines their kind. */
  other: number;
}

interface CheckReport {
  readonly definitions: number;
  readonly objects: Readonly<ObjectCounts> | undefined;
  readonly findings: readonly Finding[];
  readonly costs: readonly PlacedCost[] | undefined;
}

/**
 * Prints a report, and sets the exit code to 1 if there is a finding. Throws ConfigError if there is nothing to check.
 */
export async function checkCrds(files: readonly string[], { objects, costs, output }: CheckOptions): Promise<void> {
  requireOneStdin([...files, ...(objects ?? [])]);
  const progress = new Progress({ stream: process.stderr, now: Date.now });
  const { checked, findings } = await readCrds(files, progress);
  const ofObjects = objects === undefined ? undefined : await checkObjects(objects, checked, progress);
  progress.end();
  print(output, {
    definitions: checked.length,
    objects: ofObjects?.counts,
    findings: sortFindings([...findings, ...(ofObjects?.findings ?? [])]),
    costs: costs === true ? checked.flatMap((crd) => crd.costs) : undefined,
  });
  if (findings.length + (ofObjects?.findings.length ?? 0) > 0) process.exitCode = EXIT_CODES.failed;
}

async function checkObjects(
  paths: readonly string[],
  checked: readonly CheckedCrd[],
  progress: Progress,
): Promise<{ readonly counts: ObjectCounts; readonly findings: readonly Finding[] }> {
  const { manifests, problems } = await readInput(paths);
  const check = createObjectChecker(checked);
  const findings = [...problems];
  const counts: ObjectCounts = { checked: 0, blocked: 0, other: 0 };
  for (const [i, manifest] of manifests.entries()) {
    progress.step('checking objects', i, manifests.length);
    const verdict = check(manifest);
    counts[verdict.outcome]++;
    if (verdict.outcome === 'checked') findings.push(...verdict.findings);
  }
  return { counts, findings };
}

function print(format: OutputFormat, report: CheckReport): void {
  const { definitions, objects, findings, costs } = report;
  if (format === 'json') {
    const problems = findings.map(findingJson);
    console.log(JSON.stringify({ definitions, objects, problems, costs: costs?.map(costJson) }, undefined, 2));
    return;
  }
  for (const finding of findings)
    console.log(format === 'github' ? githubCommand('error', finding) : findingText(finding));
  for (const cost of costs ?? [])
    console.log(
      format === 'github'
        ? githubCommand('notice', { ...cost, message: costText(cost) })
        : `${cost.file}:${cost.place.line}:${cost.place.column}: ${costText(cost)}`,
    );
  if (objects !== undefined) console.log(objectsText(objects));
  console.log(`${count(definitions, 'definition')}, ${count(findings.length, 'problem')}`);
}

function objectsText({ checked, blocked, other }: ObjectCounts): string {
  const parts = [`${count(checked, 'object')} of these kinds`];
  if (blocked > 0) parts.push(`${blocked} not checked because of problems in the definition`);
  if (other > 0) parts.push(`${other} of other kinds not checked`);
  return parts.join(', ');
}

function costText({ version, rule, cost, share }: PlacedCost): string {
  const figure = `${finite(cost).toLocaleString('en-US')} (${(share * 100).toFixed(2)} % of the limit)`;
  return `${version}: costs at most ${figure}: ${rule.replace(/\s+/g, ' ').trim()}`;
}

function costJson({ file, place, version, rule, cost, share }: PlacedCost): Record<string, unknown> {
  return { file, line: place.line, column: place.column, version, rule, cost: finite(cost), share };
}

/** Caps a cost at the largest safe integer. A rule over a list without `maxItems` may cost more. */
function finite(cost: number): number {
  return Math.min(cost, Number.MAX_SAFE_INTEGER);
}
