/** The generator of sequences. The same seed gives the same sequence. */
import type { JsonObject, JsonValue } from '../../src/base/json-value.ts';
import { createRandom, type Random } from '../../test/fuzz/random.ts';
import { keyed, type Make, map, oneOf, repeatItem, struct, word } from '../common/random-json.ts';
import { type Edit, headOf, isDict, lay, type ManagedFieldsEdit, type Sequence, type Step } from './sequence.ts';
import { apiVersionOf, NAMESPACE, type Subject } from './subject.ts';

const APPLIERS = ['alpha', 'beta', 'gamma', 'kubectl'];
const UPDATERS = ['alpha', 'beta', 'delta', 'kubectl-client-side-apply', 'kubectl-edit'];
const AGENTS = ['kubectl/v1.36.3 (linux/amd64) kubernetes/abc', 'Mozilla/5.0', 'operator'];
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** One of this many sequences runs with a second for each step. */
const CLOCKED_ONE_IN = 20;
/** Few, because the reference answers 500 to them. */
const SPOILED_ONE_IN = 2000;

export function generateSequence(seed: number, subjects: readonly Subject[]): Sequence {
  const random = createRandom(seed);
  const subject = random.pick(subjects);
  const clocked = seed % CLOCKED_ONE_IN === 7;
  // Some sequences have more updaters than the bound of Update entries.
  const crowd = clocked && random.int(2) === 0;
  const length = crowd ? 14 + random.int(4) : 3 + random.int(7);
  const steps: Step[] = [];
  const generator = new StepGenerator(random, subject);
  while (steps.length < length) {
    const step = steps.length === 0 ? generator.first() : generator.next();
    steps.push(crowd && steps.length > 0 && random.int(6) > 0 ? generator.crowded(steps.length) : step);
    if (steps.length === 1 && subject.isRewritten === true) steps.push(generator.crowded(0));
  }
  for (const version of subject.versions) steps.push({ method: 'GET', version, query: {} });
  return { title: `seed ${seed}`, subject, steps, clocked };
}

class StepGenerator {
  readonly #random: Random;
  readonly #subject: Subject;

  constructor(random: Random, subject: Subject) {
    this.#random = random;
    this.#subject = subject;
  }

  /** Most sequences begin with a whole object. */
  first(): Step {
    const version = this.#version();
    const body = this.#config(version, true);
    const chance = this.#random.int(20);
    if (chance === 0) return this.next();
    if (chance < 8) return { method: 'POST', version, ...this.#update(), body: this.#spoil(body, 40) };
    return { method: 'PATCH', patch: 'apply', version, query: this.#applyQuery(), body: this.#spoil(body, 40) };
  }

  next(): Step {
    const chance = this.#random.int(100);
    if (chance < 42) return this.#apply();
    if (chance < 57) return this.#put();
    if (chance < 78) return this.#patch();
    if (chance < 88) return this.#subject.status === undefined ? this.#apply() : this.#status();
    if (chance < 93) return this.#subject.scale === true ? this.#scale() : this.#put();
    if (chance < 95) return this.#strip();
    if (chance < 97) return this.#delete();
    return chance < 98 ? this.#create() : this.#refused();
  }

  /** One of many updaters. */
  crowded(index: number): Step {
    return {
      method: 'PATCH',
      patch: 'merge',
      version: this.#version(),
      query: { fieldManager: `updater-${index}` },
      body: { metadata: { labels: { [`l${this.#random.int(30)}`]: word(this.#random) } } },
    };
  }

  #apply(): Step {
    const version = this.#version();
    const body = this.#spoil(this.#config(version, this.#random.int(3) > 0), 15);
    if (this.#subject.status !== undefined && this.#random.int(12) === 0)
      body['status'] = this.#subject.status(this.#random);
    return { method: 'PATCH', patch: 'apply', version, query: this.#applyQuery(), body };
  }

  #put(): Step {
    const version = this.#version();
    return { method: 'PUT', version, ...this.#update(), edit: this.#edit(this.#config(version, false)) };
  }

  #patch(): Step {
    const version = this.#version();
    const random = this.#random;
    const { metadata, ...part } = this.#config(version, false);
    const { name: _name, ...rest } = metadata as JsonObject;
    const body: JsonObject = { ...part, metadata: rest };
    delete body['apiVersion'];
    delete body['kind'];
    const shared = { method: 'PATCH', version, ...this.#update() } as const;
    const patch = random.pick(
      this.#subject.custom === true ? (['merge', 'json'] as const) : (['merge', 'json', 'strategic'] as const),
    );
    if (patch === 'json') return { ...shared, patch, body: this.#operations(body) };
    return { ...shared, patch, body: this.#withNulls(body, patch === 'strategic') };
  }

  #status(): Step {
    const version = this.#version();
    const random = this.#random;
    const status = (this.#subject.status as Make)(random);
    const spoiled = random.int(6) === 0 ? this.#config(version, false) : this.#head(version);
    const body: JsonObject = { ...spoiled, status };
    const shared = { version, subresource: 'status' } as const;
    switch (random.int(5)) {
      case 0:
        return { method: 'PUT', ...shared, ...this.#update(), edit: this.#edit(body) };
      case 1:
        return { method: 'PATCH', patch: 'merge', ...shared, ...this.#update(), body: { status } };
      default:
        return { method: 'PATCH', patch: 'apply', ...shared, query: this.#applyQuery(), body: this.#spoil(body, 20) };
    }
  }

  #scale(): Step {
    const random = this.#random;
    const version = this.#version();
    const spec: JsonObject = { replicas: random.int(4) };
    const body: JsonObject = {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: '{{name}}', namespace: NAMESPACE },
      spec,
    };
    const shared = { version, subresource: 'scale' } as const;
    switch (random.int(4)) {
      case 0:
        return { method: 'PUT', ...shared, ...this.#update(), body };
      case 1:
        return { method: 'PATCH', patch: 'merge', ...shared, ...this.#update(), body: { spec } };
      default:
        // The reference answers 500 to every apply to the scale of a custom resource.
        return this.#subject.custom === true
          ? { method: 'PUT', ...shared, ...this.#update(), body }
          : { method: 'PATCH', patch: 'apply', ...shared, query: this.#applyQuery(), body };
    }
  }

  /** Removes the managedFields, or tries to. */
  #strip(): Step {
    const random = this.#random;
    const value = random.pick<JsonValue>([[], [{}], null, [{}, {}]]);
    const shared = { version: this.#version(), ...this.#update() };
    if (random.int(2) === 0)
      return { method: 'PATCH', patch: 'merge', ...shared, body: { metadata: { managedFields: value } } };
    return {
      method: 'PATCH',
      patch: 'json',
      ...shared,
      body: [{ op: random.pick(['replace', 'add']), path: '/metadata/managedFields', value }],
    };
  }

  #delete(): Step {
    const propagationPolicy = this.#random.pick(['Orphan', 'Foreground', 'Background']);
    return { method: 'DELETE', version: this.#version(), query: {}, body: { propagationPolicy } };
  }

  #create(): Step {
    const version = this.#version();
    return { method: 'POST', version, ...this.#update(), body: this.#config(version, true) };
  }

  /** An apply that the options or the head of the body forbid. */
  #refused(): Step {
    const version = this.#version();
    const body = this.#config(version, true);
    const metadata = body['metadata'] as JsonObject;
    const apply = (query: Readonly<Record<string, string>>, change: JsonObject = {}): Step => ({
      method: 'PATCH',
      patch: 'apply',
      version,
      query,
      body: { ...body, ...change },
    });
    const alpha = { fieldManager: 'alpha' };
    return this.#random.pick<() => Step>([
      () => apply({}),
      () => apply({ force: 'true' }),
      () => apply({ fieldManager: 'm'.repeat(129) }),
      () => apply({ fieldManager: 'a\nb' }),
      () => apply({ ...alpha, force: 'maybe' }),
      () => apply(alpha, { kind: 'Other' }),
      () => apply(alpha, { apiVersion: 'other/v1' }),
      () => apply(alpha, { metadata: { ...metadata, name: 'other' } }),
      () => apply(alpha, { metadata: { ...metadata, managedFields: [] } }),
      () => apply(alpha, { metadata: { ...metadata, managedFields: [{ manager: 'x', operation: 'Apply' }] } }),
      () => apply(alpha, { metadata: { ...metadata, resourceVersion: '1' } }),
      () => apply(alpha, { metadata: { ...metadata, uid: '00000000-0000-4000-8000-000000000000' } }),
      () => apply({ ...alpha, fieldValidation: 'Strict' }),
      () => ({ ...this.#put(), query: { ...alpha, force: 'true' } }),
      () => ({ ...this.#patch(), query: { ...alpha, force: 'true' } }),
      () => ({ ...this.#patch(), query: { fieldManager: 'm'.repeat(129) } }),
    ])();
  }

  #version(): string {
    return this.#random.pick(this.#subject.versions);
  }

  #applyQuery(): Record<string, string> {
    const random = this.#random;
    return {
      fieldManager: random.pick(APPLIERS),
      ...(random.int(3) === 0 ? { force: 'true' } : {}),
      ...(random.int(15) === 0 ? { dryRun: 'All' } : {}),
    };
  }

  #update(): Pick<Step, 'query' | 'agent'> {
    const random = this.#random;
    const dryRun: Record<string, string> = random.int(15) === 0 ? { dryRun: 'All' } : {};
    if (random.int(6) === 0) return { query: dryRun, agent: random.pick(AGENTS) };
    return { query: { fieldManager: random.pick(UPDATERS), ...dryRun } };
  }

  #head(version: string): JsonObject {
    return headOf(this.#subject, version);
  }

  /** A configuration. A whole one is valid by itself, apart from the rules of single fields. */
  #config(version: string, whole: boolean): JsonObject {
    const random = this.#random;
    const part = this.#subject.part(version)(random) as JsonObject;
    if (this.#subject.custom !== true && random.int(10) > 0) dropEmpty(part);
    const body = whole ? (lay(structuredClone(this.#subject.base), part) as JsonObject) : part;
    const head = this.#head(version);
    return { ...head, metadata: { ...(head['metadata'] as JsonObject), ...this.#metadata(head, body) }, ...body };
  }

  #metadata(head: JsonObject, body: JsonObject): JsonObject {
    const random = this.#random;
    const result = struct({ labels: map(word), annotations: map(word) })(random) as JsonObject;
    // The reference stores empty maps in the metadata of custom resources and drops them on read, so that the next
    // update writes the object again even if it changes nothing.
    if (this.#subject.custom === true)
      for (const [key, value] of Object.entries(result))
        if (Object.keys(value as JsonObject).length === 0) delete result[key];
    if (random.int(8) === 0)
      result['finalizers'] = oneOf(['example.com/a'], ['example.com/a', 'example.com/b'], [])(random);
    if (random.int(12) === 0) result['ownerReferences'] = owners(random);
    if (random.int(10) === 0) {
      const applied = JSON.stringify(random.int(2) === 0 ? { ...head, ...body } : head);
      result['annotations'] = { ...(result['annotations'] as JsonObject), [LAST_APPLIED]: applied };
    }
    return result;
  }

  #edit(overlay: JsonObject): Edit {
    const random = this.#random;
    return {
      overlay,
      remove: random.int(2) === 0 ? [random.pick(pathsOf(overlay))] : [],
      managedFields: this.#managedFields(),
      revision: random.pick(['keep', 'keep', 'keep', 'keep', 'drop', 'drop', 'stale']),
    };
  }

  /** Mostly what the client read, or nothing. */
  #managedFields(): ManagedFieldsEdit {
    const entry = (change: JsonObject): JsonValue => ({
      manager: 'x',
      operation: 'Update',
      apiVersion: apiVersionOf(this.#subject, this.#version()),
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:metadata': { 'f:labels': { 'f:a': {} } } },
      ...change,
    });
    const random = this.#random;
    const chance = random.int(24);
    if (chance < 10) return 'keep';
    if (chance < 16) return 'drop';
    const choices: readonly ManagedFieldsEdit[] = [
      'reverse',
      'drop first',
      { value: [] },
      { value: [{}] },
      { value: [entry({})] },
      { value: [entry({ operation: 'Apply', time: '2001-01-01T00:00:00Z' })] },
      { value: [entry({ operation: 'Other' })] },
      { value: [entry({ fieldsType: 'Other' })] },
      { value: [entry({ fieldsV1: { 'f:b': {}, 'f:a': {} } })] },
      { value: [entry({ fieldsV1: { 'x:b': {} } })] },
      { value: [entry({ fieldsV1: { 'k:{': {} } })] },
      { value: [entry({ manager: 'm'.repeat(129) })] },
      { value: [entry({ subresource: 'status' })] },
      { value: [entry({}), entry({})] },
      { value: [entry({ manager: '' })] },
    ];
    // The reference forgets all managers of a custom resource if one has an unknown version.
    const unknown: ManagedFieldsEdit = { value: [entry({ apiVersion: 'none/v9' })] };
    return random.pick(this.#subject.custom === true ? choices : [...choices, unknown]);
  }

  /** Sets one field to null, adds one that is not declared, gives one a wrong type or repeats an item. */
  #spoil(config: JsonObject, nullsOneIn: number): JsonObject {
    const random = this.#random;
    if (random.int(nullsOneIn) === 0) setAt(config, random.pick(pathsOf(config)), null);
    if (random.int(SPOILED_ONE_IN) === 0) setAt(config, [random.pick(['metadata', 'spec']), 'undeclared'], 1);
    if (random.int(SPOILED_ONE_IN) === 0)
      setAt(config, random.pick(pathsOf(config)), random.pick<JsonValue>([7, 'wrong', {}, []]));
    if (random.int(SPOILED_ONE_IN) === 0) repeatItem(random, config);
    return config;
  }

  #withNulls(patch: JsonObject, isStrategic: boolean): JsonObject {
    const random = this.#random;
    const paths = pathsOf(patch);
    if (paths.length > 0 && random.int(2) === 0) setAt(patch, random.pick(paths), null);
    if (isStrategic && random.int(4) === 0) {
      const lists = paths.map((path) => getAt(patch, path)).filter((value) => Array.isArray(value) && isDict(value[0]));
      const [chosen] = lists as JsonObject[][];
      if (chosen?.[0] !== undefined) chosen[0]['$patch'] = random.pick(['delete', 'replace']);
    }
    return patch;
  }

  #operations(part: JsonObject): JsonValue {
    const random = this.#random;
    const paths = pathsOf(part);
    const operations: JsonObject[] = [];
    for (let i = 1 + random.int(2); i > 0 && paths.length > 0; i--) {
      const path = random.pick(paths);
      const pointer = path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
      const value = getAt(part, path) as JsonValue;
      const op = random.pick(['add', 'add', 'add', 'replace', 'remove', 'test']);
      operations.push(op === 'remove' ? { op, path: pointer } : { op, path: pointer, value });
    }
    return operations;
  }
}

const owners: Make = keyed(
  {
    '!apiVersion': () => 'v1',
    '!kind': () => 'ConfigMap',
    '!name': word,
    '!uid': oneOf('11111111-0000-4000-8000-000000000000', '22222222-0000-4000-8000-000000000000'),
  },
  'uid',
);

/** Removes empty lists and maps. Messages and generations of built-in kinds differ for them in a known way. */
function dropEmpty(value: JsonValue): void {
  if (Array.isArray(value)) value.forEach(dropEmpty);
  if (!isDict(value)) return;
  for (const [key, child] of Object.entries(value)) {
    if (Array.isArray(child) ? child.length === 0 : isDict(child) && Object.keys(child).length === 0) delete value[key];
    else dropEmpty(child);
  }
}

/** The paths of the fields that a client may write, to any depth, without those through lists. */
function pathsOf(object: JsonObject): string[][] {
  const paths: string[][] = [];
  const visit = (value: JsonValue, path: readonly string[]): void => {
    if (!isDict(value)) return;
    for (const [key, child] of Object.entries(value)) {
      const inner = [...path, key];
      if (['apiVersion', 'kind', 'metadata', 'metadata.name'].includes(inner.join('.')) === false) paths.push(inner);
      visit(child, inner);
    }
  };
  visit(object, []);
  return paths.length === 0 ? [['metadata', 'labels']] : paths;
}

function getAt(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((node, key) => (isDict(node) ? node[key] : undefined), value);
}

function setAt(object: JsonObject, path: readonly string[], value: JsonValue): void {
  const parent = getAt(object, path.slice(0, -1));
  if (isDict(parent)) parent[path.at(-1) as string] = value;
}
