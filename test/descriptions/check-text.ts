/**
 * The rules that every description follows. Each check returns the problems of one description, empty for a correct
 * one.
 */
import { descriptionParts } from '../../src/apimachinery/facts/descriptions.ts';
import { type Described, PACKAGE_IDS, structsOf } from './described-types.ts';

const MAX_CHARACTERS = 300;
const MAX_SENTENCES = 3;

/** One to three sentences, with a capital letter at the beginning and a full stop at the end. */
export function checkForm({ name, text }: Described): readonly string[] {
  if (text === undefined) return [`${name} has no description`];
  const parts = descriptionParts(text);
  const problems: string[] = [];
  if (parts.text.length > MAX_CHARACTERS) problems.push(`${name} is longer than ${MAX_CHARACTERS} characters`);
  if (sentences(parts.text) > MAX_SENTENCES) problems.push(`${name} has more than ${MAX_SENTENCES} sentences`);
  if (!/^["`]?[A-Z0-9/]/.test(text) && !/^[a-z]\w*[A-Z.]/.test(text))
    problems.push(`${name} does not begin with a capital letter`);
  if (!/[.]["`)]?$/.test(text)) problems.push(`${name} does not end with a full stop`);
  if (/ {2}|\t|—|–/.test(text)) problems.push(`${name} has two spaces or a dash`);
  return problems;
}

function sentences(text: string): number {
  return text
    .replaceAll(/\be\.g\.|\bi\.e\./g, '')
    .split(/[.] (?=[A-Z"`])/)
    .filter((part) => part.trim() !== '').length;
}

/** A name in backticks is a field of the type, a path from it, a kind, or a path from a kind. */
export function checkReferences({ name, type, packageId, text = '' }: Described): readonly string[] {
  const problems: string[] = [];
  for (const [, reference = ''] of text.matchAll(/`([^`]*)`/g)) {
    if (!/^[A-Za-z][\w.[\]*]*$/.test(reference)) continue;
    if (!resolves(packageId, type, reference)) problems.push(`${name} names ${reference}, which does not exist`);
  }
  return problems;
}

function resolves(packageId: string, type: string, reference: string): boolean {
  const steps = reference.replaceAll(/\[[^\]]*\]/g, '').split('.');
  if (hasPath(packageId, type, steps)) return true;
  const [head = '', ...rest] = steps;
  if (/^[A-Z]/.test(head)) {
    return PACKAGE_IDS.some((id) => structsOf(id).has(head) && hasPath(id, head, rest));
  }
  // A path from a kind of the same package, such as `spec.replicas`, or from the shared metadata.
  return [...structsOf(packageId).keys()].some((kind) => hasPath(packageId, kind, steps));
}

function hasPath(packageId: string, type: string, steps: readonly string[]): boolean {
  const [head, ...rest] = steps;
  if (head === undefined) return true;
  const field = structsOf(packageId)
    .get(type)
    ?.find(({ name }) => name === head);
  if (field === undefined) return false;
  const [target = '', other] = field.type.replaceAll(/[[{]/g, '').split(':').reverse();
  return rest.length === 0 || hasPath(other ?? packageId, target, rest);
}

/** Values in double quotes are values of the field's enumeration, and "One of" lists all of them. */
export function checkValues({ name, field, text = '' }: Described): readonly string[] {
  const allowed = field?.enum;
  if (allowed === undefined) return [];
  const { text: body } = descriptionParts(text);
  const quoted = [...body.matchAll(/"([^"]*)"/g)].map(([, value = '']) => value);
  const unknown = quoted.filter((value) => /^[A-Z]\w*$/.test(value) && !allowed.includes(value));
  const problems = unknown.map(
    (value) => `${name} names the value "${value}", which is not one of ${allowed.join(', ')}`,
  );
  const missing = allowed.filter((value) => value !== '' && !quoted.includes(value));
  if (allowed.length <= 8 && missing.length > 0) problems.push(`${name} does not name ${missing.join(', ')}`);
  return problems;
}

/** The default that a description names; undefined if it names none, or names it in words. */
export function namedDefault(text: string): unknown {
  const { defaultValue } = descriptionParts(text);
  if (defaultValue === undefined) return undefined;
  try {
    return JSON.parse(defaultValue) as unknown;
  } catch {
    return undefined;
  }
}
