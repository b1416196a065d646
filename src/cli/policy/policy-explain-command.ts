/** The command `keelson policy explain`: prints which webhooks and policies match an object, and why. */

import type { BindingExplanation, PolicyEvaluation } from '../../admission/policies/explain-policy.ts';
import { ConfigError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { readInput, requireOneStdin } from '../crd-input.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { findingText, sortFindings } from '../finding-format.ts';
import { isFile, objectOnServer, type ServerTarget } from '../object-target.ts';
import { objectName } from '../who-json.ts';
import { isConfiguration, loadManifests } from './policy-files.ts';
import type { ExplainedPolicy, Explanation } from './policy-reporter.ts';
import { PolicySandbox, type SandboxOperation } from './policy-sandbox.ts';
import { readServerConfigurations } from './server-configurations.ts';

export interface ExplainOptions extends ServerTarget {
  readonly configurations?: readonly string[];
  readonly operation: SandboxOperation;
  readonly output: string;
}

/** Prints the explanation of each object. Throws ConfigError for a target that cannot be used. */
export async function explainObject(target: string, name: string | undefined, options: ExplainOptions): Promise<void> {
  if (options.output !== 'text' && options.output !== 'json')
    throw new ConfigError(`--output: ${JSON.stringify(options.output)} is not one of text, json`);
  const objects = isFile(target, name, 'keelson policy explain')
    ? await objectsIn(target, options.configurations ?? [])
    : [await objectOnServer(target, name, options)];
  const sandbox = await PolicySandbox.start();
  try {
    if (!(await loadConfigurations(sandbox, objects, options))) return;
    const shown: unknown[] = [];
    for (const object of objects) {
      const judgement = await sandbox.judge(object, options.operation);
      if ('refused' in judgement) fail(`${objectName(object)} is refused: ${judgement.refused.message}`);
      else if (options.output === 'json') shown.push(explanationJson(object, options.operation, judgement.explanation));
      else shown.push(explanationLines(object, options.operation, judgement.explanation).join('\n'));
    }
    if (options.output === 'json') console.log(JSON.stringify({ objects: shown }, undefined, 2));
    else if (shown.length > 0) console.log(shown.join('\n\n'));
  } finally {
    await sandbox.stop();
  }
}

async function objectsIn(file: string, configurations: readonly string[]): Promise<readonly JsonObject[]> {
  requireOneStdin([file, ...configurations]);
  const { manifests, problems } = await readInput([file]);
  for (const problem of sortFindings(problems)) fail(findingText(problem));
  if (manifests.length + problems.length === 0) throw new ConfigError(`${file} contains no object`);
  return manifests.map(({ object }) => object);
}

/**
 * Adds webhooks and policies to the sandbox, from files or from the server. Returns false if files have problems, after
 * printing them.
 */
async function loadConfigurations(
  sandbox: PolicySandbox,
  objects: readonly JsonObject[],
  options: ExplainOptions,
): Promise<boolean> {
  if (options.configurations === undefined) {
    const found = await readServerConfigurations(options, objects);
    for (const object of found) {
      const refused = await sandbox.add(object);
      if (refused !== undefined) fail(`${objectName(object)} cannot be read: ${refused.message}`);
    }
    return true;
  }
  const { manifests, problems } = await readInput(options.configurations);
  if (problems.length === 0 && !manifests.some(isConfiguration))
    throw new ConfigError(`no webhook and no policy in ${options.configurations.join(', ')}`);
  const findings = [...problems, ...(await loadManifests(sandbox, manifests))];
  for (const finding of sortFindings(findings)) fail(findingText(finding));
  return findings.length === 0;
}

function fail(sentence: string): void {
  console.error(`keelson: ${sentence}`);
  process.exitCode = EXIT_CODES.failed;
}

function explanationLines(object: JsonObject, operation: string, explanation: Explanation): readonly string[] {
  const { webhooks, policies } = explanation;
  const lines = [`${objectName(object)}, ${operation}`, ''];
  for (const policy of policies) lines.push(...policyLines(policy));
  for (const { configuration, webhook, isMutating, because } of webhooks) {
    const kind = isMutating ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration';
    lines.push(
      `${kind} ${configuration}, webhook ${webhook}`,
      `  ${because === undefined ? 'called' : `not called: ${because}`}`,
    );
  }
  if (policies.length + webhooks.length === 0) lines.push('There are no webhooks and no policies.');
  return lines;
}

function policyLines({ policy, isMutating, because, bindings }: ExplainedPolicy): readonly string[] {
  const kind = isMutating ? 'MutatingAdmissionPolicy' : 'ValidatingAdmissionPolicy';
  if (because !== undefined) return [`${kind} ${policy}`, `  does not match: ${because}`];
  return [`${kind} ${policy}`, ...bindings.flatMap(bindingLines)];
}

function bindingLines({ binding, actions, because, fails, evaluations }: BindingExplanation): readonly string[] {
  const head = `  binding ${binding}${actions.length === 0 ? '' : ` (${actions.join(', ')})`}`;
  if (because !== undefined) return [`${head} ${fails ? 'fails' : 'does not match'}: ${because}`];
  return evaluations.map((evaluation) => {
    const params = evaluation.params === undefined ? '' : ` with ${evaluation.params}`;
    if (evaluation.verdict === undefined) return `${head}${params} ${mutationText(evaluation)}`;
    const { denials, annotationErrors, cost } = evaluation.verdict;
    const texts = [...denials.map(({ message }) => message), ...annotationErrors];
    const verdict = texts.length === 0 ? 'holds' : `does not hold: ${texts.join('; ')}`;
    return `${head}${params} matches and ${verdict} (cost ${cost.toLocaleString('en-US')})`;
  });
}

/** Returns the result of a mutating policy, or of a policy whose match conditions are false. */
function mutationText({ because, mutations }: PolicyEvaluation): string {
  if (because !== undefined) return `does not match: ${because}`;
  const errors = mutations.flatMap(({ error }) => error ?? []);
  const paths = mutations.flatMap(({ changes }) => changes.map(({ path }) => path));
  const result =
    errors.length > 0
      ? `fails: ${errors.join('; ')}`
      : paths.length === 0
        ? 'changes nothing'
        : `changes ${paths.join(', ')}`;
  const cost = mutations.reduce((total, one) => total + one.cost, 0);
  return `matches and ${result} (cost ${cost.toLocaleString('en-US')})`;
}

function explanationJson(object: JsonObject, operation: string, { webhooks, policies }: Explanation): object {
  return {
    object: objectName(object),
    operation,
    policies: policies.map(({ policy, isMutating, because, bindings }) => ({
      policy,
      type: isMutating ? 'mutating' : 'validating',
      matches: because === undefined,
      because,
      bindings,
    })),
    webhooks: webhooks.map(({ isMutating, because, ...webhook }) => ({
      ...webhook,
      type: isMutating ? 'mutating' : 'validating',
      matches: because === undefined,
      because,
    })),
  };
}
