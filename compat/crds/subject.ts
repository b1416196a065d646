/**
 * One CRD of a run: the comparison and minimisation of its requests, and the objects of it that are created (valid,
 * shipped and mutated). Invariant: subjects share only the namespace, so they run side by side.
 */
import { createRandom, type Random } from '../../test/fuzz/random.ts';
import type { Difference } from '../diff/compare.ts';
import { generateObject, repair } from './generate.ts';
import { mutate } from './mutate.ts';
import type { Subject } from './prepare.ts';
import { type Definition, isDict, type JsonDict, type Schema, type Version } from './schema.ts';
import { type Asked, type Aspect, compareAsked, type Request, type Session } from './session.ts';
import { schemaPart, shrink } from './shrink.ts';
import { isSameFault, signatureOf } from './signature.ts';

export const NAMESPACE = 'crds';
const VALIDATIONS = ['Ignore', 'Warn', 'Strict'] as const;
const ROUNDS = 14;

export interface Shrinks {
  left: number;
  readonly seen: Set<string>;
}

export interface Plan {
  /** The number of mutated objects to create. */
  readonly creates: number;
  /** The number of mutated objects to put or patch over a valid one. */
  readonly updates: number;
  readonly examples: number;
  readonly seed: number;
  /** The number of differences that may still be minimised in this run, and the signatures of those that were. */
  readonly shrinks: Shrinks;
}

/** One served version of a CRD, with helpers for its objects. */
export class Resource {
  readonly definition: Definition;
  readonly version: Version;
  readonly schema: Schema;

  constructor(definition: Definition, version: Version) {
    this.definition = definition;
    this.version = version;
    this.schema = version.schema?.openAPIV3Schema ?? {};
  }

  get namespaced(): boolean {
    return this.definition.spec.scope === 'Namespaced';
  }

  get collection(): string {
    const { group, names } = this.definition.spec;
    return `/apis/${group}/${this.version.name}${this.namespaced ? `/namespaces/${NAMESPACE}` : ''}/${names.plural}`;
  }

  head(name: string): JsonDict {
    const { group, names } = this.definition.spec;
    return { apiVersion: `${group}/${this.version.name}`, kind: names.kind, metadata: { name } };
  }
}

/** The run of one subject. */
export class SubjectRun {
  readonly session: Session;
  readonly subject: Subject;
  readonly plan: Plan;
  readonly random: Random;

  constructor(session: Session, subject: Subject, plan: Plan) {
    this.session = session;
    this.subject = subject;
    this.plan = plan;
    this.random = createRandom(plan.seed ^ hash(subject.name));
  }

  /**
   * Compares every aspect of one exchange about objects. Returns true if code and causes agree, so that the sequence
   * can go on.
   */
  async check(title: string, request: Request, asked: Asked, shrinking?: Shrinking): Promise<boolean> {
    if (asked.reference.code < 300) this.session.accepted++;
    else this.session.refused++;
    const compared = compareAsked(asked);
    for (const [aspect, differences] of Object.entries(compared) as [Aspect, Difference[]][]) {
      const minimised =
        aspect !== 'messages' && request.body !== undefined && this.mayShrink(differences, aspect)
          ? await this.#minimise(aspect, request, differences, shrinking)
          : undefined;
      this.add(aspect, title, differences, minimised);
    }
    return compared.object === undefined || compared.object.length === 0;
  }

  add(aspect: Aspect, title: string, differences: readonly Difference[], minimised?: string): void {
    const { project, name } = this.subject;
    this.session.add({
      project,
      crd: name,
      aspect,
      title,
      differences,
      ...(minimised === undefined ? {} : { minimised }),
    });
  }

  /** Minimises one difference of each sort, until the number of the run is used up. */
  mayShrink(differences: readonly Difference[], ...beside: readonly string[]): boolean {
    const { shrinks } = this.plan;
    const signature = signatureOf(differences, ...beside);
    if (differences.length === 0 || shrinks.left <= 0 || shrinks.seen.has(signature)) return false;
    shrinks.seen.add(signature);
    shrinks.left--;
    return true;
  }

  async #minimise(
    aspect: Aspect,
    request: Request,
    differences: readonly Difference[],
    shrinking: Shrinking | undefined,
  ): Promise<string> {
    const fields = differences.flatMap(({ where, reference, candidate }) =>
      aspect === 'object'
        ? `${reference}; ${candidate}`.split('; ').map((cause) => cause.slice(cause.indexOf(' ') + 1))
        : [where.replace(/^body\./, '')],
    );
    const part = shrinking === undefined ? '' : schemaPart(shrinking.schema, fields);
    if (shrinking === undefined || request.patch !== undefined || !isDict(request.body))
      return `${request.method} ${request.path}\n${JSON.stringify(request.body)}\n${part}`;
    const wanted = differences[0] as Difference;
    const differs = async (object: JsonDict): Promise<boolean> => {
      const again = compareAsked(await shrinking.again(object))[aspect];
      return again?.some((difference) => isSameFault(difference, wanted)) ?? false;
    };
    const object = (await differs(request.body)) ? await shrink(request.body, differs) : request.body;
    return [
      `${request.method} ${request.path}`,
      ...(shrinking.before === undefined ? [] : [`over ${JSON.stringify(shrinking.before)}`]),
      JSON.stringify(object),
      part,
    ].join('\n');
  }
}

export interface Shrinking {
  readonly schema: Schema;
  /** Sends the same request as a dry run with another object. */
  again(object: JsonDict): Promise<Asked>;
  /** The stored object at the time of the request. */
  readonly before?: JsonDict;
}

/** Returns an object that the reference accepts, or the last one that was tried. */
export async function findValid(run: SubjectRun, resource: Resource): Promise<{ object: JsonDict; valid: boolean }> {
  const { random, session } = run;
  const head = resource.head('base');
  let best: JsonDict = head;
  for (const density of [0.3, 0.12, 0]) {
    let object = generateObject(resource.schema, head, { random, density });
    for (let round = 0; round < ROUNDS; round++) {
      const verdict = await session.askReference({
        method: 'POST',
        path: `${resource.collection}?dryRun=All&fieldValidation=Strict`,
        body: object,
      });
      if (verdict.code < 300) return { object, valid: true };
      best = object;
      if (verdict.complaints.length === 0) break;
      const repaired = repair(object, resource.schema, verdict.complaints, random);
      if (JSON.stringify(repaired) === JSON.stringify(object)) break;
      object = repaired;
    }
  }
  return { object: best, valid: false };
}

/** Creates the objects that the project ships, and mutations of a valid one. */
export async function runCreates(run: SubjectRun, resource: Resource, base: JsonDict): Promise<void> {
  const { session, subject, plan, random } = run;
  const shrinking = (query: string): Shrinking => ({
    schema: resource.schema,
    again: (object) =>
      session.ask({ method: 'POST', path: `${resource.collection}?dryRun=All&${query}`, body: object }),
  });
  const create = async (title: string, body: JsonDict, validation: string): Promise<void> => {
    const query = `fieldValidation=${validation}`;
    const request: Request = { method: 'POST', path: `${resource.collection}?${query}`, body };
    await run.check(`${title} ${validation}`, request, await session.ask(request), shrinking(query));
  };
  const version = `${resource.definition.spec.group}/${resource.version.name}`;
  const shipped = subject.examples.filter(({ apiVersion }) => apiVersion === version).slice(0, plan.examples);
  for (const [i, example] of shipped.entries()) {
    const { namespace: _namespace, ...metadata } = (isDict(example['metadata']) ? example['metadata'] : {}) as JsonDict;
    const body = { ...example, metadata: { ...metadata, name: `example-${i}` } };
    await create(`POST example ${i}`, body, VALIDATIONS[(i + 1) % 3] as string);
    if (plan.creates === 0) continue;
    const mutation = mutate({ ...body, metadata: { ...metadata, name: `example-${i}-m` } }, resource.schema, random);
    session.mutated++;
    await create(`POST example ${i}, ${mutation.kind} at ${mutation.path.join('.')}`, mutation.object, 'Warn');
  }
  for (let i = 0; i < plan.creates; i++) {
    const named = { ...base, metadata: { ...(base['metadata'] as JsonDict), name: `m-${i}` } };
    const first = mutate(named, resource.schema, random);
    // Sometimes two at once: refusals must list both.
    const mutation = random.int(4) === 0 ? mutate(first.object, resource.schema, random) : first;
    session.mutated++;
    const kinds = mutation === first ? first.kind : `${first.kind} and ${mutation.kind}`;
    await create(`POST ${kinds} at ${mutation.path.join('.')}`, mutation.object, VALIDATIONS[i % 3] as string);
  }
}

function hash(text: string): number {
  let value = 2166136261;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return value >>> 0;
}
