/** The command `keelson policy check`: judges example objects by admission policies without a server. */

import { POLICY_COST } from '../../admission/cost-limits.ts';
import { objectAt, objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonPatch } from '../../apimachinery/patch/json-patch-decode.ts';
import { count } from '../../base/count.ts';
import { ConfigError } from '../../base/errors.ts';
import { cloneJson, type JsonObject } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import type { Finding } from '../../scaffold/finding.ts';
import type { Manifest } from '../../scaffold/manifest-files.ts';
import type { Place } from '../../scaffold/yaml-places.ts';
import { readInput, requireOneStdin } from '../crd-input.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { findingJson, findingText, githubCommand, type OutputFormat, sortFindings } from '../finding-format.ts';
import { objectName } from '../who-json.ts';
import { isConfiguration, loadManifests, refusalFindings } from './policy-files.ts';
import { PolicySandbox, type SandboxOperation } from './policy-sandbox.ts';
import { type Outcome, outcomeOf, type Verdict, verdictsOf } from './policy-verdicts.ts';

export interface PolicyCheckOptions {
  readonly objects: readonly string[];
  readonly operation: SandboxOperation;
  readonly output: OutputFormat;
}

/**
 * The annotation with the expected outcome of an example. Default `admitted`. It is removed before the object is
 * judged.
 */
const EXPECT = 'keelson.dev/expect';
const OUTCOMES: readonly Outcome[] = ['admitted', 'warned', 'denied'];

interface JudgedObject {
  readonly manifest: Manifest;
  readonly expected: Outcome;
  readonly outcome: Outcome;
  readonly verdicts: readonly Verdict[];
}

/**
 * Prints a report, and sets the exit code to 1 if there is a finding or an outcome is not the expected one. Throws
 * ConfigError if there is no policy or no object.
 */
export async function checkPolicies(files: readonly string[], options: PolicyCheckOptions): Promise<void> {
  requireOneStdin([...files, ...options.objects]);
  const policies = await readInput(files);
  const objects = await readInput(options.objects);
  const findings = [...policies.problems, ...objects.problems];
  if (findings.length === 0 && !policies.manifests.some(isConfiguration))
    throw new ConfigError(`no policy in ${files.join(', ')}: name a file or folder that contains one`);
  if (findings.length === 0 && objects.manifests.length === 0)
    throw new ConfigError(`no object in ${options.objects.join(', ')}: name a file or folder that contains one`);
  const judged: JudgedObject[] = [];
  const sandbox = await PolicySandbox.start();
  try {
    findings.push(...(await loadManifests(sandbox, policies.manifests)));
    for (const manifest of objects.manifests) {
      const result = await judge(sandbox, manifest, options.operation);
      if (Array.isArray(result)) findings.push(...result);
      else judged.push(result as JudgedObject);
    }
  } finally {
    await sandbox.stop();
  }
  print(options.output, { policies: policies.manifests, judged, findings: sortFindings(findings) });
  if (findings.length > 0 || judged.some((one) => one.outcome !== one.expected)) process.exitCode = EXIT_CODES.failed;
}

/**
 * Judges one object. Returns findings instead if its annotation is invalid, or if the server refuses the object before
 * policies see it.
 */
async function judge(
  sandbox: PolicySandbox,
  manifest: Manifest,
  operation: SandboxOperation,
): Promise<JudgedObject | readonly Finding[]> {
  const { object, expected } = takeExpectation(manifest.object);
  if (!OUTCOMES.includes(expected as Outcome))
    return [
      {
        kind: 'decode',
        file: manifest.file,
        place: manifest.place(['metadata', 'annotations', EXPECT]),
        message: `${EXPECT}: ${JSON.stringify(expected)} is not one of ${OUTCOMES.join(', ')}`,
      },
    ];
  const judgement = await sandbox.judge(object, operation);
  if ('refused' in judgement) return refusalFindings(manifest, judgement.refused, 'rejected');
  const verdicts = verdictsOf(judgement.explanation);
  return { manifest, expected: expected as Outcome, outcome: outcomeOf(verdicts), verdicts };
}

function takeExpectation(given: JsonObject): { readonly object: JsonObject; readonly expected: string } {
  const expected = textAt(given, 'metadata', 'annotations', EXPECT);
  if (expected === '') return { object: given, expected: 'admitted' };
  const object = cloneJson(given);
  const annotations = objectAt(object, 'metadata', 'annotations') as Record<string, unknown>;
  delete annotations[EXPECT];
  if (Object.keys(annotations).length === 0) delete objectAt(object, 'metadata')?.['annotations'];
  return { object, expected };
}

interface Report {
  readonly policies: readonly Manifest[];
  readonly judged: readonly JudgedObject[];
  readonly findings: readonly Finding[];
}

function print(format: OutputFormat, report: Report): void {
  const { judged, findings } = report;
  if (format === 'json') {
    const objects = judged.map((one) => objectJson(one, report));
    console.log(JSON.stringify({ objects, problems: findings.map(findingJson) }, undefined, 2));
    return;
  }
  for (const finding of findings)
    console.log(format === 'github' ? githubCommand('error', finding) : findingText(finding));
  for (const one of judged) {
    if (format === 'text') console.log(objectLines(one, report).join('\n'));
    else if (one.outcome !== one.expected)
      console.log(githubCommand('error', { ...placeOf(one.manifest), message: objectLines(one, report).join('\n') }));
  }
  console.log(summary(report));
}

function objectLines({ manifest, expected, outcome, verdicts }: JudgedObject, report: Report): readonly string[] {
  const { file, place } = placeOf(manifest);
  const but = outcome === expected ? '' : `, but should be ${expected}`;
  return [
    `${file}:${place.line}:${place.column}: ${objectName(manifest.object)} is ${outcome}${but}`,
    ...verdicts.flatMap((verdict) => verdictLines(verdict, report)),
  ];
}

function verdictLines(verdict: Verdict, report: Report): readonly string[] {
  const { policy, binding, actions, params, problems, changes, cost } = verdict;
  const how = actions.length === 0 ? '' : `${actions.join(', ')} `;
  const by = `${how}by binding ${binding}${params === undefined ? '' : ` with ${params}`}`;
  return [
    `  ${policy} (${by}): ${resultOf(verdict)}, cost ${cost.toLocaleString('en-US')}`,
    ...problems.map(({ index, message }) => `${placeText(verdict, index, report)}: ${message}`),
    ...changes.flatMap(({ mutation, operations }) =>
      operations.map((operation) => `${placeText(verdict, mutation, report)}: ${operationText(operation)}`),
    ),
  ];
}

function resultOf({ isMutating, problems, changes }: Verdict): string {
  if (!isMutating) return problems.length === 0 ? 'holds' : 'does not hold';
  if (problems.length > 0) return 'fails';
  return changes.length === 0 ? 'changes nothing' : 'changes the object';
}

function placeText(verdict: Verdict, index: number | undefined, report: Report): string {
  const { file, place } = expressionPlace(verdict, index, report);
  return `    ${file}:${place.line}:${place.column}`;
}

function operationText(operation: JsonPatch[number]): string {
  return `${operation.op} ${operation.path}${'value' in operation ? ` ${writeJson(operation.value)}` : ''}`;
}

function summary({ policies, judged, findings }: Report): string {
  const costs = judged.flatMap(({ verdicts }) => verdicts.map(({ cost }) => cost));
  const most = Math.max(0, ...costs);
  const unexpected = judged.filter(({ outcome, expected }) => outcome !== expected).length;
  const parts = [
    count(policies.filter(isConfiguration).length, 'configuration'),
    count(judged.length, 'object'),
    count(findings.length + unexpected, 'problem'),
    `at most ${((most / POLICY_COST) * 100).toFixed(2)} % of the cost limit`,
  ];
  return parts.join(', ');
}

function objectJson({ manifest, expected, outcome, verdicts }: JudgedObject, report: Report): object {
  const { file, place } = placeOf(manifest);
  return {
    file,
    ...place,
    object: objectName(manifest.object),
    outcome,
    expected,
    policies: verdicts.map((verdict) => {
      const at = (index: number | undefined): object => {
        const found = expressionPlace(verdict, index, report);
        return { file: found.file, ...found.place };
      };
      const { isMutating, problems, changes, ...rest } = verdict;
      return {
        ...rest,
        type: isMutating ? 'mutating' : 'validating',
        problems: problems.map(({ index, message }) => ({ ...at(index), message })),
        changes: changes.map(({ mutation, operations }) => ({ ...at(mutation), patch: operations })),
      };
    }),
  };
}

interface FilePlace {
  readonly file: string;
  readonly place: Place;
}

function placeOf(manifest: Manifest): FilePlace {
  return { file: manifest.file, place: manifest.place(['metadata', 'name']) };
}

/**
 * Returns the place of a validation or mutation in the file of its policy. Without `index`: the place of the spec.
 */
function expressionPlace({ policy, isMutating }: Verdict, index: number | undefined, { policies }: Report): FilePlace {
  const kind = isMutating ? 'MutatingAdmissionPolicy' : 'ValidatingAdmissionPolicy';
  const manifest = policies.find(
    ({ object }) => textAt(object, 'metadata', 'name') === policy && textAt(object, 'kind') === kind,
  ) as Manifest;
  if (index === undefined) return { file: manifest.file, place: manifest.place(['spec']) };
  if (!isMutating)
    return { file: manifest.file, place: manifest.place(['spec', 'validations', String(index), 'expression']) };
  const mutation = objectsAt(manifest.object, 'spec', 'mutations')[index] ?? {};
  const form = textAt(mutation, 'patchType') === 'JSONPatch' ? 'jsonPatch' : 'applyConfiguration';
  return { file: manifest.file, place: manifest.place(['spec', 'mutations', String(index), form, 'expression']) };
}
