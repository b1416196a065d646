/** The differences between two normalised answers, as short lines. */
import type { Answer } from './client.ts';
import type { Json, Normaliser } from './normalise.ts';
import type { Step } from './request.ts';

export interface Difference {
  /** `status`, `header warning`, `body.metadata.labels.a`. */
  readonly where: string;
  readonly reference: string;
  readonly candidate: string;
}

const HEADERS = [
  'content-type',
  'warning',
  'retry-after',
  'allow',
  'cache-control',
  'vary',
  'www-authenticate',
  'location',
  'content-encoding',
  'x-content-type-options',
  'strict-transport-security',
] as const;

const ABSENT = '(absent)';

export interface Side {
  readonly answer: Answer;
  readonly normaliser: Normaliser;
}

/** Returns no difference if the two agree. */
export function compareAnswers(step: Step, reference: Side, candidate: Side): Difference[] {
  const differences: Difference[] = [];
  const note = (where: string, left: string, right: string): void => {
    if (left !== right) differences.push({ where, reference: left, candidate: right });
  };
  note('status', String(reference.answer.status), String(candidate.answer.status));
  for (const header of HEADERS) {
    const read = (side: Side): string => {
      const value = side.answer.headers[header];
      if (value === undefined) return ABSENT;
      const text = side.normaliser.text(value);
      return step.anyOrder === true && header === 'warning'
        ? text
            .split(/, (?=299 )/)
            .sort()
            .join(', ')
        : text;
    };
    note(`header ${header}`, read(reference), read(candidate));
  }
  // Both bodies are normalised in any case, because placeholders are numbered by appearance.
  const left = bodyOf(step, reference);
  const right = bodyOf(step, candidate);
  if (step.bodyless !== true) compareValues('body', left, right, note);
  return differences;
}

function bodyOf(step: Step, side: Side): Json {
  const { text } = side.answer;
  const parsed = step.exact === true ? undefined : parseBody(text);
  if (parsed === undefined) return side.normaliser.text(text);
  const value = side.normaliser.value(side.answer.status < 300 ? applyView(step, parsed) : parsed);
  if (step.anyOrder === undefined || step.anyOrder === false) return value;
  return withSortedCauses(value, step.anyOrder === 'causes');
}

/** Returns a Status with its causes sorted, and the parts of its message about them unless `keepsMessage`. */
function withSortedCauses(body: Json, keepsMessage: boolean): Json {
  if (!isObject(body) || body['kind'] !== 'Status' || !isObject(body['details'])) return body;
  const causes = body['details']['causes'];
  if (!Array.isArray(causes)) return body;
  const byText = (a: Json, b: Json): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  const sorted = { ...body, details: { ...body['details'], causes: [...causes].sort(byText) } };
  if (keepsMessage) return sorted;
  const parts = String(body['message'])
    .replace(/: \[|\]$/g, ', ')
    .split(', ');
  return { ...sorted, message: parts.sort() };
}

/** A body that the view cannot process is compared whole, with the error beside it. */
function applyView(step: Step, body: Json): Json {
  if (step.view === undefined) return body;
  try {
    return step.view(body);
  } catch (error) {
    return { unreadable: (error as Error).message, body };
  }
}

/** Returns JSON, a stream of JSON lines as a list, or undefined. */
function parseBody(text: string): Json | undefined {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return undefined;
  const whole = tryParse(text);
  if (whole !== undefined) return whole;
  const lines = text.split('\n').filter((line) => line !== '');
  const values = lines.map(tryParse);
  return values.includes(undefined) ? undefined : (values as Json[]);
}

function tryParse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

export type Note = (where: string, left: string, right: string) => void;

/** Reports every place where the two values differ. */
export function compareValues(path: string, left: Json | undefined, right: Json | undefined, note: Note): void {
  if (isObject(left) && isObject(right)) {
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const step = /^[\w-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
      compareValues(path + step, left[key], right[key], note);
    }
    return;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    if (left.length !== right.length) note(`${path}.length`, summary(left), summary(right));
    for (let i = 0; i < Math.min(left.length, right.length); i++)
      compareValues(`${path}[${i}]`, left[i], right[i], note);
    return;
  }
  note(path, show(left), show(right));
}

/** Returns the number of elements, and their names if they have any. */
function summary(list: readonly Json[]): string {
  const names = list.map((item) => {
    if (!isObject(item)) return undefined;
    const metadata = isObject(item['metadata']) ? item['metadata']['name'] : undefined;
    return metadata ?? item['name'] ?? item['type'];
  });
  return `${list.length} [${names.map((name) => (typeof name === 'string' ? name : '·')).join(' ')}]`;
}

function show(value: Json | undefined): string {
  return value === undefined ? ABSENT : JSON.stringify(value);
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
