/**
 * The parts of an answer that two servers must have in common: code, reason and the set of (reason, field) causes; then
 * warnings, the object, and the messages. Invariant: each aspect is compared by itself, so that a miss is counted in
 * its own aspect.
 */
import type { Answer } from '../diff/client.ts';
import { compareValues, type Difference } from '../diff/compare.ts';
import { createNormaliser, type Json } from '../diff/normalise.ts';
import type { Complaint } from './generate.ts';
import { isDict, type JsonDict } from './schema.ts';

export interface Verdict {
  readonly code: number;
  readonly reason: string;
  /** `FieldValueInvalid spec.a`, sorted and distinct, with unknown and duplicate fields of a strict refusal. */
  readonly causes: readonly string[];
  readonly complaints: readonly Complaint[];
  readonly message: string;
  readonly warnings: readonly string[];
  /** The body of a success, unchanged. */
  readonly raw: Json | undefined;
  /** Returns the body with placeholders. It is made on demand, because CRDs and OpenAPI documents are large. */
  body(): Json | undefined;
}

export function readVerdict(answer: Answer, url: string): Verdict {
  const normaliser = createNormaliser(url, Date.now());
  const parsed = parse(answer.text);
  const status: JsonDict = isDict(parsed) && parsed['kind'] === 'Status' ? parsed : {};
  const details = isDict(status['details']) ? status['details'] : {};
  const complaints = (Array.isArray(details['causes']) ? (details['causes'] as JsonDict[]) : []).map((cause) => ({
    reason: String(cause['reason'] ?? ''),
    field: String(cause['field'] ?? ''),
  }));
  const message = answer.status < 300 ? '' : normaliser.text(String(status['message'] ?? answer.text));
  const strict = [...message.matchAll(/(?:unknown|duplicate) field "[^"]+"/g)].map(([whole]) => whole);
  const raw = answer.status < 300 ? parsed : undefined;
  return {
    code: answer.status,
    reason: String(status['reason'] ?? ''),
    causes: sortedSet([
      ...complaints.map(({ reason, field }) => `${reason} ${field}`),
      ...(answer.status === 400 ? strict : []),
    ]),
    complaints,
    message,
    warnings: sortedSet((answer.headers['warning'] ?? '').split(/, (?=299 )/).map((text) => normaliser.text(text))),
    raw,
    body: () => (raw === undefined ? undefined : normaliser.value(raw)),
  };
}

export function compareVerdicts(reference: Verdict, candidate: Verdict): Difference[] {
  return differencesOf((note) => {
    note('code', String(reference.code), String(candidate.code));
    note('reason', reference.reason, candidate.reason);
    const missing = reference.causes.filter((cause) => !candidate.causes.includes(cause));
    const added = candidate.causes.filter((cause) => !reference.causes.includes(cause));
    note('causes', missing.join('; '), added.join('; '));
    if (reference.code !== candidate.code) note('message', reference.message, candidate.message);
  });
}

export function compareWarnings(reference: Verdict, candidate: Verdict): Difference[] {
  return differencesOf((note) => note('warnings', reference.warnings.join('\n'), candidate.warnings.join('\n')));
}

/**
 * Compares the messages of a refusal as sets of words, because the reference lists causes from maps in random order. It
 * names the type of `self` in a rule after the clock.
 */
export function compareMessages(reference: Verdict, candidate: Verdict): Difference[] {
  const parts = ({ message }: Verdict): string =>
    sortedSet(
      message
        .replace(/[[\]]/g, '')
        .replace(/\bselfType\d+/g, 'self')
        .split(/, | && | is invalid: /),
    ).join(', ');
  return differencesOf((note) => note('message', parts(reference), parts(candidate)));
}

export function compareBodies(where: string, reference: Json | undefined, candidate: Json | undefined): Difference[] {
  return differencesOf((note) => compareValues(where, reference, candidate, note));
}

function differencesOf(tell: (note: (where: string, left: string, right: string) => void) => void): Difference[] {
  const differences: Difference[] = [];
  tell((where, reference, candidate) => {
    if (reference !== candidate) differences.push({ where, reference, candidate });
  });
  return differences;
}

export function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function sortedSet(items: readonly string[]): string[] {
  return [...new Set(items)].filter((item) => item !== '').sort();
}
