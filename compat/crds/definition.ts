/**
 * The comparison of the definition itself: whether it is accepted, what is stored, and its conditions. Several loops of
 * kube-apiserver write conditions, so only differences that remain count.
 */
import type { Difference } from '../diff/compare.ts';
import type { Json } from '../diff/normalise.ts';
import { isDict, type JsonDict } from './schema.ts';
import { type Asked, compareAsked } from './session.ts';
import { shrink } from './shrink.ts';
import { isSameFault } from './signature.ts';
import { Resource, type SubjectRun } from './subject.ts';
import { compareBodies, type Verdict } from './verdict.ts';

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const SETTLE_TRIES = 20;
const SETTLE_MS = 50;
const SHRINK_TRIES = 200;

/** Compares the CRD. Returns its served versions if both servers accept it. */
export async function runDefinition(run: SubjectRun): Promise<Resource[]> {
  const { session, subject } = run;
  const { definition, name } = subject;
  const asked = await session.ask({ method: 'POST', path: DEFINITIONS, body: definition as unknown as Json });
  const compared = compareAsked(asked, false);
  const differences = compared.object ?? [];
  const minimised = await minimiseDefinition(run, 'POST', definition as unknown as JsonDict, differences);
  run.add('definition', 'POST', differences, minimised);
  if (compared.warnings !== undefined) run.add('warnings', 'POST of the definition', compared.warnings);
  if (compared.messages !== undefined) run.add('messages', 'POST of the definition', compared.messages);
  const { code, message: words } = asked.reference;
  session.count(code < 300 ? 'definitions accepted by the reference' : 'definitions refused by it');
  if (code >= 300 && !session.compares) console.log(`${name} of ${subject.project} is refused: ${words}`);
  if (asked.verdicts.some((verdict) => verdict.code >= 300)) return [];
  const path = `${DEFINITIONS}/${name}`;
  const isSettled = ({ raw }: Verdict): boolean => conditionOf(raw, 'Established') === 'True';
  let settled = await session.askUntil({ method: 'GET', path }, isSettled);
  for (let i = 0; i < SETTLE_TRIES && statusDifferences(settled).length > 0; i++) {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    settled = await session.ask({ method: 'GET', path });
  }
  run.add('stored definition', 'GET', compareBodies('body', specOf(settled.reference), specOf(settled.candidate)));
  run.add('status', 'GET', statusDifferences(settled));
  if (!settled.verdicts.every(isSettled)) return [];
  const served = definition.spec.versions
    .filter((version) => version.served)
    .map((version) => new Resource(definition, version));
  for (const resource of served)
    await session.askUntil({ method: 'GET', path: `${resource.collection}?limit=1` }, ({ code }) => code !== 404);
  return served;
}

/** Returns the definition without identity, revision and times. */
function specOf(verdict: Verdict | undefined): Json | undefined {
  if (!isDict(verdict?.raw)) return undefined;
  const { status: _status, metadata, ...rest } = verdict.raw;
  const { resourceVersion: _revision, uid: _uid, creationTimestamp, managedFields, ...kept } = metadata as JsonDict;
  // The entries about the status are those of loops, whose number of writes is a matter of chance.
  const entries = (Array.isArray(managedFields) ? (managedFields as JsonDict[]) : [])
    .filter(({ subresource }) => subresource === undefined)
    .map(({ time, ...entry }): Json => ({ ...entry, time: typeof time }));
  return { ...rest, metadata: { ...kept, creationTimestamp: typeof creationTimestamp, managedFields: entries } };
}

function statusDifferences({ reference, candidate }: Asked): Difference[] {
  return candidate === undefined ? [] : compareBodies('status', statusOf(reference.raw), statusOf(candidate.raw));
}

/** Returns the conditions by type, without times. */
function statusOf(body: Json | undefined): Json {
  if (!isDict(body) || !isDict(body['status'])) return null;
  const { conditions, ...rest } = body['status'];
  const entries = (Array.isArray(conditions) ? (conditions as JsonDict[]) : []).map((condition) => [
    String(condition['type']),
    { ...condition, lastTransitionTime: typeof condition['lastTransitionTime'] },
  ]);
  return { ...rest, conditions: Object.fromEntries(entries) as JsonDict };
}

function conditionOf(body: Json | undefined, type: string): Json | undefined {
  const status = statusOf(body);
  const condition = isDict(status) && isDict(status['conditions']) ? status['conditions'][type] : undefined;
  return isDict(condition) ? condition['status'] : undefined;
}

/**
 * Minimises a definition about which the servers differ, under another group, because one of them may have it already.
 * Returns undefined if there is nothing to minimise.
 */
export async function minimiseDefinition(
  run: SubjectRun,
  title: string,
  definition: JsonDict,
  differences: readonly Difference[],
): Promise<string | undefined> {
  if (!run.mayShrink(differences, 'definition', title)) return undefined;
  const spec: JsonDict = {
    ...(definition['spec'] as JsonDict),
    group: `shrink.${String((definition['spec'] as JsonDict)['group'])}`,
  };
  const names = isDict(spec['names']) ? spec['names'] : {};
  const metadata = {
    ...(definition['metadata'] as JsonDict),
    name: `${String(names['plural'])}.${String(spec['group'])}`,
  };
  const moved: JsonDict = { ...definition, metadata, spec };
  const path = `${DEFINITIONS}?dryRun=All&fieldValidation=Strict`;
  const wanted = differences[0] as Difference;
  const differs = async (body: JsonDict): Promise<boolean> => {
    const again = compareAsked(await run.session.ask({ method: 'POST', path, body }), false).object;
    return again?.some((difference) => isSameFault(difference, wanted)) ?? false;
  };
  if (!(await differs(moved))) return undefined;
  return `POST ${path}\n${JSON.stringify(await shrink(moved, differs, SHRINK_TRIES))}`;
}
