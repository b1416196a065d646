/** Generators of the custom kinds. */

import type { JsonObject } from '../../../src/base/json-value.ts';
import {
  anything,
  digit,
  keyed,
  list,
  type Make,
  map,
  name,
  oneOf,
  plainList,
  struct,
  word,
} from '../../common/random-json.ts';
import type { Subject } from '../subject.ts';
import { GROUP } from './definitions.ts';

const words = list(word, String);
const item = { '!name': name, value: digit, nested: struct({ a: word, b: word }) };
const items = keyed(item, 'name');
const status = struct({
  phase: word,
  replicas: digit,
  selector: () => 'app=x',
  conditions: keyed({ '!type': oneOf('A', 'B', 'C'), '!status': oneOf('True', 'False'), message: word }, 'type'),
});

const COMMON: Readonly<Record<string, Make>> = {
  replicas: digit,
  text: word,
  port: oneOf(1, 'http', '1'),
  when: oneOf('2001-01-01T00:00:00Z', '2001-01-01T01:00:00+01:00'),
  point: struct({ x: digit, y: digit }),
  labels: map(word),
  whole: map(word),
  list: words,
  atomics: plainList(struct({ name, value: digit })),
  set: words,
  numbers: list(oneOf(1, 20, 3, 1_000_000), String),
  items,
  ports: keyed({ '!port': digit, protocol: oneOf('TCP', 'UDP'), name: word }, 'port', 'protocol'),
  groups: keyed({ '!name': name, members: items }, 'name'),
  free: map(anything),
  kept: struct({ known: word, inner: struct({ deep: word, other: anything }), unknown: anything }),
  anything,
  empty: () => ({}),
  template: struct({
    '!apiVersion': () => 'v1',
    '!kind': () => 'Any',
    metadata: struct({ labels: map(word) }),
    spec: struct({ text: word }),
  }),
  defaulted: struct({ a: word, b: word }),
};

const ONLY_FIRST: Make = (random) =>
  random.pick([struct({ '!nullable': oneOf('a', null) }), struct({ '!lists': map(words) })])(random);
const ONLY_SECOND: Make = struct({ '!extra': word });

/** Few of the many fields, so that objects stay readable. */
function some(fields: Readonly<Record<string, Make>>): Make {
  return (random) => {
    const names = Object.keys(fields);
    const chosen = Array.from({ length: 1 + random.int(5) }, () => random.pick(names));
    return Object.fromEntries([...new Set(chosen)].map((key) => [key, (fields[key] as Make)(random)]));
  };
}

const free = struct({ set: words, known: word, deep: map(anything), items, value: anything });

export const CUSTOM: readonly Subject[] = [
  {
    group: GROUP,
    versions: ['v1', 'v2'],
    plural: 'samples',
    kind: 'Sample',
    custom: true,
    base: { spec: { text: 'a' } },
    part: (version) => (random) => ({
      spec: {
        ...(some(COMMON)(random) as JsonObject),
        // Fields that the other version does not declare. Few, because the reference then forgets all managers.
        ...(random.int(60) > 0 ? {} : ((version === 'v1' ? ONLY_FIRST : ONLY_SECOND)(random) as JsonObject)),
      },
    }),
    status,
    scale: true,
  },
  {
    group: GROUP,
    versions: ['v1'],
    plural: 'looses',
    kind: 'Loose',
    custom: true,
    clusterScoped: true,
    base: {},
    part: () => struct({ spec: free, data: map(anything), status: struct({ phase: word }) }),
  },
  {
    group: GROUP,
    versions: ['v1', 'v2'],
    plural: 'partials',
    kind: 'Partial',
    custom: true,
    base: {},
    part: () => struct({ '!spec': free }),
    status: struct({ phase: word, conditions: keyed({ '!type': name, '!status': word }, 'type') }),
  },
];
