/**
 * All requests about one kind. Invariant: mutated objects are sent as dry runs, so they can be sent side by side and
 * nothing is stored; objects that are stored are written one request after the other.
 */
import { createRandom, type Random } from '../../test/fuzz/random.ts';
import { isDict, type JsonDict } from '../crds/schema.ts';
import type { Json } from '../diff/normalise.ts';
import { addFrom, edit, invalidate, type Mutation, patchesOf } from './mutate.ts';
import type { Asked, Request, Session, Side } from './session.ts';
import {
  apiVersionOf,
  collectionOf,
  type Extra,
  nameOf,
  namespaceOf,
  objectOf,
  type Subject,
  type Variant,
} from './subject.ts';

/** The number of requests of each sort for a subject. The seed chooses them. */
export interface Plan {
  readonly seed: number;
  readonly creates: number;
  readonly updates: number;
  readonly patches: number;
  readonly statuses: number;
}

const VALIDATIONS = ['Strict', 'Strict', 'Warn', 'Ignore'];
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

export interface KindRunOptions {
  readonly session: Session;
  readonly subject: Subject;
  readonly plan: Plan;
  /** The golden object of the kind, which has every field set to something. */
  readonly golden: JsonDict | undefined;
}

export async function runSubject(options: KindRunOptions): Promise<void> {
  const { session, subject, plan } = options;
  const namespace = namespaceOf(subject);
  const random = createRandom(plan.seed ^ hash(nameOf(subject)));
  await session.ask({
    title: 'namespace',
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { metadata: { name: namespace } },
  });
  for (const { path, object } of subject.needs ?? [])
    await session.ask({ title: 'need', method: 'POST', path: path.replace('{ns}', namespace), body: object });
  await compareDiscovery(options);
  await sendCreates(options, random);
  if (subject.isReview === true) return;
  for (const variant of subject.variants) await runVariant(options, variant, random);
}

async function compareDiscovery({ session, subject }: KindRunOptions): Promise<void> {
  const path = subject.group === '' ? `/api/${subject.version}` : `/apis/${apiVersionOf(subject)}`;
  const view = (body: Json | undefined): Json => {
    const resources = (isDict(body) ? (body['resources'] as JsonDict[] | undefined) : undefined) ?? [];
    return resources.filter(({ name }) => String(name).split('/')[0] === subject.plural);
  };
  await session.check(nameOf(subject), { title: 'discovery', method: 'GET', path }, { discovery: view });
}

/** Creates valid objects, mutated ones, and the golden one, which is invalid almost everywhere. */
async function sendCreates({ session, subject, plan, golden }: KindRunOptions, random: Random): Promise<void> {
  const objects = subject.variants.map((variant) => objectOf(subject, variant));
  const mutations = subject.variants.flatMap((variant, i): Mutation[] => {
    const object = objects[i] as JsonDict;
    const all = [...invalidate(object), ...(golden === undefined ? [] : addFrom(object, golden))];
    return all.map((one) => ({ ...one, title: `${variant.name}: ${one.title}` }));
  });
  const good = subject.variants.map(({ name }, i) => ({ title: `${name}`, object: objects[i] as JsonDict }));
  const first = objects[0];
  if (golden !== undefined && first !== undefined)
    good.push({ title: 'golden', object: { ...golden, metadata: first['metadata'] as Json } });
  const sent = [...good, ...sample(mutations, plan.creates, random)];
  const dryRun = subject.isReview === true ? '' : 'dryRun=All&';
  await Promise.all(
    sent.map(async ({ title, object }, i) => {
      const validation = i < good.length ? 'Strict' : (VALIDATIONS[hash(title) % VALIDATIONS.length] as string);
      const asked = await session.check(nameOf(subject), {
        title: `POST ${title}`,
        method: 'POST',
        path: `${collectionOf(subject)}?${dryRun}fieldValidation=${validation}`,
        body: object,
      });
      if (i < objects.length) complainIfRefused(session, subject, title, asked);
    }),
  );
}

function complainIfRefused(session: Session, subject: Subject, title: string, { reference }: Asked): void {
  if (reference.code < 300) return;
  session.complaints.push(`the reference refuses ${nameOf(subject)} ${title}: ${reference.code} ${reference.message}`);
}

/** One object from its creation to its deletion. */
class ObjectLifecycle {
  readonly #options: KindRunOptions;
  readonly #path: string;
  #stored: readonly [JsonDict | undefined, JsonDict | undefined] = [undefined, undefined];
  #read: readonly [JsonDict | undefined, JsonDict | undefined] = [undefined, undefined];

  constructor(options: KindRunOptions, name: string) {
    this.#options = options;
    this.#path = `${collectionOf(options.subject)}/${name}`;
  }

  /** The object that the reference has stored. */
  get stored(): JsonDict {
    return this.#stored[0] ?? {};
  }

  /** Returns the object that a server has stored, or that of the reference if it has none, without managedFields. */
  of(side: Side): JsonDict {
    return this.#stored[side] ?? this.stored;
  }

  /** Returns the object with the managedFields that were read. */
  whole(side: Side): JsonDict {
    return this.#read[side] ?? this.of(side);
  }

  async check(request: Request, view: 'object' | 'table' = 'object'): Promise<Asked> {
    const { session, subject } = this.#options;
    return session.check(nameOf(subject), { ...request, path: request.path.replace('{}', this.#path) }, view);
  }

  /** Sends a write that is stored, then reads the object again. */
  async write(request: Request): Promise<Asked> {
    const asked = await this.check(request);
    await this.read();
    return asked;
  }

  async read(): Promise<void> {
    const { bodies } = await this.#options.session.ask({ title: 'GET', method: 'GET', path: this.#path });
    this.#read = bodies;
    this.#stored = [withoutManagedFields(bodies[0]), withoutManagedFields(bodies[1])];
  }
}

async function runVariant(options: KindRunOptions, variant: Variant, random: Random): Promise<void> {
  const { session, subject, plan } = options;
  const { name } = variant;
  const object = objectOf(subject, variant);
  const objectName = String((object['metadata'] as JsonDict)['name']);
  const lifecycle = new ObjectLifecycle(options, objectName);
  const collection = collectionOf(subject);
  const share = (count: number): number => Math.ceil(count / subject.variants.length);
  const made = await lifecycle.write({
    title: `POST ${name} for good`,
    method: 'POST',
    path: collection,
    body: object,
  });
  if (subject.settleMs !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, subject.settleMs));
    await lifecycle.read();
  }
  complainIfRefused(session, subject, `${name} for good`, made);
  if (made.reference.code >= 300) return;
  await lifecycle.check({ title: `GET ${name}`, method: 'GET', path: '{}' });
  await lifecycle.check({ title: `GET ${name} as a table`, method: 'GET', path: '{}', accept: TABLE }, 'table');
  await lifecycle.check({ title: `POST ${name} again`, method: 'POST', path: collection, body: object });
  await lifecycle.write({
    title: `PUT ${name} as it is`,
    method: 'PUT',
    path: '{}',
    body: (side) => lifecycle.whole(side),
  });
  await lifecycle.write({ title: `PUT ${name} as it was sent`, method: 'PUT', path: '{}', body: object });
  await putAll(lifecycle, `${name}: `, '{}', edit, sampleOf(share(plan.updates), random), undefined);
  await sendPatches(lifecycle, name, share(plan.patches), random);
  await writeStatus(lifecycle, options, variant, random);
  const wanted = variant === subject.variants[0] ? undefined : variant.name;
  for (const extra of subject.extras ?? [])
    if (extra.variant === wanted) await sendExtra(lifecycle, options, extra, random);
  await deleteObject(lifecycle, name);
}

/** Sends each mutation of the stored object as a dry run, with the identity that each server gave it. */
async function putAll(
  lifecycle: ObjectLifecycle,
  prefix: string,
  path: string,
  change: (object: JsonDict, roots?: readonly string[]) => Mutation[],
  choose: <T>(items: readonly T[]) => readonly T[],
  roots: readonly string[] | undefined,
): Promise<void> {
  const left = change(lifecycle.of(0), roots);
  const right = new Map(change(lifecycle.of(1), roots).map(({ title, object }) => [title, object]));
  await Promise.all(
    choose(left).map(({ title, object }) =>
      lifecycle.check({
        title: `PUT ${prefix}${title}`,
        method: 'PUT',
        path: `${path}?dryRun=All`,
        body: (side) => (side === 0 ? object : (right.get(title) ?? lifecycle.of(1))),
      }),
    ),
  );
}

async function sendPatches(lifecycle: ObjectLifecycle, name: string, count: number, random: Random): Promise<void> {
  await Promise.all(
    sample(patchesOf(lifecycle.stored), count, random).map(({ title, type, body }) =>
      lifecycle.check({ title: `PATCH ${name}: ${title}`, method: 'PATCH', path: '{}?dryRun=All', type, body }),
    ),
  );
  const labels = (value: string): Json => ({ metadata: { labels: { patched: value } } });
  const patch = (title: string, type: string, body: Json): Promise<Asked> =>
    lifecycle.write({ title: `PATCH ${name}: ${title}`, method: 'PATCH', path: '{}', type, body });
  await patch('merge', 'application/merge-patch+json', labels('merge'));
  await patch('strategic', 'application/strategic-merge-patch+json', labels('strategic'));
  await patch('json', 'application/json-patch+json', [
    { op: 'replace', path: '/metadata/labels/patched', value: 'json' },
  ]);
}

async function writeStatus(
  lifecycle: ObjectLifecycle,
  { plan }: KindRunOptions,
  variant: Variant,
  random: Random,
): Promise<void> {
  const { name, status } = variant;
  if (status === undefined) return;
  const withStatus = (side: Side, value: Json): JsonDict => ({ ...lifecycle.of(side), status: value });
  await lifecycle.write({
    title: `PUT ${name} with a status`,
    method: 'PUT',
    path: '{}',
    body: (side) => withStatus(side, status),
  });
  await lifecycle.write({
    title: `PUT ${name}/status`,
    method: 'PUT',
    path: '{}/status',
    body: (side) => withStatus(side, status),
  });
  await lifecycle.check(
    { title: `GET ${name} as a table, with status`, method: 'GET', path: '{}', accept: TABLE },
    'table',
  );
  await lifecycle.check({ title: `GET ${name}/status`, method: 'GET', path: '{}/status' });
  const half = Math.ceil(plan.statuses / 2);
  await putAll(lifecycle, `${name}/status: `, '{}/status', invalidate, sampleOf(half, random), ['status']);
  await putAll(lifecycle, `${name}/status: `, '{}/status', edit, sampleOf(half, random), ['status']);
  await putAll(lifecycle, `${name}/status: `, '{}/status', edit, sampleOf(2, random), ['spec']);
  const [key] = Object.keys(status);
  await lifecycle.write({
    title: `PATCH ${name}/status`,
    method: 'PATCH',
    path: '{}/status',
    type: 'application/merge-patch+json',
    body: { metadata: { annotations: { seen: 'status' } }, ...(key === undefined ? {} : { status: { [key]: null } }) },
  });
}

async function sendExtra(
  lifecycle: ObjectLifecycle,
  { subject, plan }: KindRunOptions,
  extra: Extra,
  random: Random,
): Promise<void> {
  const { title, method, body, type, accept } = extra;
  const path = extra.path.replace('{ns}', namespaceOf(subject));
  if (extra.mutate === true && isDict(body)) {
    const all = [...invalidate(body), ...invalidate(body, ['metadata'])];
    await Promise.all(
      sample(all, plan.statuses, random).map((one) =>
        lifecycle.check({
          title: `${title}: ${one.title}`,
          method,
          path: `${path}${path.includes('?') ? '&' : '?'}dryRun=All`,
          body: one.object,
          ...(type === undefined ? {} : { type }),
        }),
      ),
    );
  }
  await lifecycle.write({
    title,
    method,
    path,
    ...(body === undefined ? {} : { body }),
    ...(type === undefined ? {} : { type }),
    ...(accept === undefined ? {} : { accept }),
  });
}

async function deleteObject(lifecycle: ObjectLifecycle, name: string): Promise<void> {
  await lifecycle.check({
    title: `DELETE ${name} of another uid`,
    method: 'DELETE',
    path: '{}',
    body: { preconditions: { uid: 'other' } },
  });
  await lifecycle.check({ title: `DELETE ${name}, dry run`, method: 'DELETE', path: '{}?dryRun=All' });
  await lifecycle.check({ title: `DELETE ${name}`, method: 'DELETE', path: '{}' });
  await lifecycle.check({ title: `GET ${name} after its end`, method: 'GET', path: '{}' });
}

function withoutManagedFields(object: JsonDict | undefined): JsonDict | undefined {
  if (!isDict(object?.['metadata'])) return object;
  const { managedFields: _fields, ...metadata } = object['metadata'];
  return { ...object, metadata };
}

function sampleOf(count: number, random: Random): <T>(items: readonly T[]) => readonly T[] {
  return (items) => sample(items, count, random);
}

/** Returns `count` random items, or all if there are no more. */
function sample<T>(items: readonly T[], count: number, random: Random): readonly T[] {
  if (items.length <= count) return items;
  const rest = [...items];
  return Array.from({ length: count }, () => rest.splice(random.int(rest.length), 1)[0] as T);
}

function hash(text: string): number {
  let value = 0;
  for (const letter of text) value = (Math.imul(value, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  return value;
}
