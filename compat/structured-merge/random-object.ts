/** Generators of configurations and changes. */
import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import type { Random } from '../../test/fuzz/random.ts';
import {
  anything,
  digit,
  keyed,
  list,
  type Make,
  map,
  name,
  plainList,
  repeatItem,
  struct,
  word,
} from '../common/random-json.ts';

/** Sometimes null, sometimes a value of a wrong kind. */
function rough(make: Make): Make {
  return (random) => {
    const chance = random.int(60);
    return chance === 0 ? null : chance === 1 ? random.pick<JsonValue>([7, 'wrong', {}, []]) : make(random);
  };
}

const metadata: Make = struct({
  '!name': () => 'object',
  labels: map(word),
  annotations: (random) =>
    random.int(4) === 0
      ? {
          ...(map(word)(random) as JsonObject),
          'kubectl.kubernetes.io/last-applied-configuration': lastApplied(random),
        }
      : map(word)(random),
  finalizers: list((random) => `example.com/${word(random)}`, String),
  ownerReferences: keyed({ '!apiVersion': () => 'v1', '!kind': word, '!name': word, '!uid': word }, 'uid'),
});

/** A configuration of this kind would be more telling; this one still decides about labels. */
function lastApplied(random: Random): string {
  const labels = map(word)(random);
  return JSON.stringify({
    apiVersion: random.pick(['v1', 'apps/v1', 'compat.example/v1']),
    kind: 'Any',
    metadata: { name: 'object', labels },
  });
}

const container = keyed(
  {
    '!name': name,
    image: word,
    command: plainList(word),
    env: keyed({ '!name': name, value: word }, 'name'),
    ports: keyed(
      { '!containerPort': digit, protocol: (random) => random.pick(['TCP', 'UDP']), name: word },
      'containerPort',
      'protocol',
    ),
    resources: struct({
      limits: map(
        () => '1',
        (random) => random.pick(['cpu', 'memory']),
      ),
    }),
    volumeMounts: keyed({ '!mountPath': word, '!name': name }, 'mountPath'),
  },
  'name',
);

const podSpec = struct({
  containers: container,
  initContainers: container,
  nodeSelector: map(word),
  tolerations: plainList(struct({ key: word, operator: () => 'Exists' })),
  volumes: keyed({ '!name': name, emptyDir: struct({ medium: word }), configMap: struct({ name: word }) }, 'name'),
  securityContext: struct({ runAsUser: digit, sysctls: plainList(struct({ '!name': word, '!value': word })) }),
  serviceAccountName: word,
});

const conditions = keyed({ '!type': word, '!status': () => 'True', message: word }, 'type');

/** Specs and statuses by kind. */
const PARTS: Readonly<Record<string, Readonly<Record<string, Make>>>> = {
  ConfigMap: { data: map(word), binaryData: map(() => 'YQ=='), immutable: (random) => random.int(2) === 0 },
  Service: {
    spec: struct({
      ports: keyed(
        {
          '!port': digit,
          protocol: (random) => random.pick(['TCP', 'UDP']),
          name: word,
          targetPort: (random) => random.pick<JsonValue>([80, 'http']),
        },
        'port',
        'protocol',
      ),
      selector: map(word),
      externalIPs: plainList(word),
      type: () => 'ClusterIP',
      sessionAffinityConfig: struct({ clientIP: struct({ timeoutSeconds: digit }) }),
    }),
    status: struct({ loadBalancer: struct({ ingress: plainList(struct({ ip: word })) }), conditions }),
  },
  Pod: { spec: podSpec, status: struct({ phase: word, conditions, podIPs: keyed({ '!ip': word }, 'ip') }) },
  Deployment: {
    spec: struct({
      replicas: digit,
      selector: struct({ matchLabels: map(word) }),
      strategy: struct({
        type: word,
        rollingUpdate: struct({ maxSurge: (random) => random.pick<JsonValue>([1, '10%']) }),
      }),
      template: struct({ metadata: struct({ labels: map(word) }), spec: podSpec }),
    }),
    status: struct({ replicas: digit, conditions }),
  },
  Ingress: {
    spec: struct({
      ingressClassName: word,
      rules: plainList(struct({ host: word })),
      tls: plainList(struct({ hosts: plainList(word), secretName: word })),
      defaultBackend: struct({ resource: struct({ '!kind': word, '!name': word }) }),
    }),
  },
};

function samplePart(version: string): Readonly<Record<string, Make>> {
  return {
    spec: struct({
      [version === 'v1' ? 'size' : 'count']: digit,
      text: word,
      port: (random) => random.pick<JsonValue>([1, 'http']),
      when: () => '2001-01-01T00:00:00Z',
      point: struct({ x: digit, y: digit }),
      labels: map(word),
      whole: map(word),
      list: plainList(word),
      set: list(word, String),
      numbers: list((random) => random.pick([1, 20, 3, 1000000]), String),
      items: keyed({ '!name': name, value: digit, nested: struct({ a: word, b: word }) }, 'name'),
      ports: keyed(
        { '!port': digit, protocol: (random) => random.pick(['TCP', 'UDP']), name: word },
        'port',
        'protocol',
      ),
      free: map(anything),
      kept: struct({ known: word, inner: struct({ deep: word, other: anything }), unknown: anything }),
      anything,
      empty: map(word),
      template: struct({
        '!apiVersion': () => 'v1',
        '!kind': () => 'Any',
        metadata: struct({ labels: map(word) }),
        spec: struct({ text: word }),
      }),
    }),
    status: struct({ phase: word, conditions }),
  };
}

function partsOf(kind: string, version: string): Readonly<Record<string, Make>> {
  return PARTS[kind] ?? samplePart(version);
}

/**
 * A configuration without its type. One of sixty has a field that is not declared, a null or a value of a wrong kind;
 * one of twelve repeats an item of a list.
 */
export function randomConfig(random: Random, kind: string, version: string): JsonObject {
  const config = struct({ '!metadata': metadata, ...partsOf(kind, version) })(random) as JsonObject;
  for (const [key, value] of Object.entries(config)) {
    if (!isJsonObject(value)) continue;
    for (const field of Object.keys(value))
      if (field !== 'name') value[field] = rough(() => value[field] as JsonValue)(random);
    if (random.int(60) === 0) value['undeclared'] = 1;
    config[key] = value;
  }
  if (random.int(12) === 0) repeatItem(random, config);
  return config;
}

/** The object with some parts replaced, added or removed. */
export function mutate(random: Random, object: JsonObject, kind: string, version: string): JsonObject {
  const out = cloneJson(object);
  const parts = { metadata, ...partsOf(kind, version) };
  for (let i = random.int(3); i >= 0; i--) {
    const part = random.pick(Object.keys(parts));
    const fresh = (parts[part as keyof typeof parts] as Make)(random);
    const known = out[part];
    if (!isJsonObject(fresh) || !isJsonObject(known)) {
      out[part] = fresh;
      continue;
    }
    const key = random.pick(Object.keys({ ...fresh, ...known, x: 1 }));
    if (key === 'managedFields' || key === 'uid' || key === 'name') continue;
    if (fresh[key] === undefined) delete known[key];
    else known[key] = fresh[key] as JsonValue;
  }
  if (random.int(12) === 0) repeatItem(random, out);
  return out;
}
