import { formatFieldSelector, parseFieldSelector } from '../../src/apimachinery/selectors/field-selector.ts';
import { formatLabelSelector } from '../../src/apimachinery/selectors/label-selector.ts';
import { compileLabelSelectorForRecord } from '../../src/apimachinery/selectors/label-selector-match.ts';
import {
  type LabelSelectorObject,
  labelSelectorFromObject,
} from '../../src/apimachinery/selectors/label-selector-object.ts';
import { parseLabelSelector } from '../../src/apimachinery/selectors/label-selector-parse.ts';
import { checkLabelValue, checkQualifiedName } from '../../src/apimachinery/validation/label-syntax.ts';
import {
  type Complaints,
  checkCIdentifier,
  checkConfigMapKey,
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkEnvVarName,
  checkHttpHeaderName,
  checkPortName,
} from '../../src/apimachinery/validation/name-syntax.ts';
import type { Random } from '../../test/fuzz/random.ts';
import { repeat, text } from './generate.ts';
import type { Subject } from './subject.ts';

const RULES: Readonly<Record<string, (name: string) => Complaints>> = {
  'dns1123-label': checkDns1123Label,
  'dns1123-subdomain': checkDns1123Subdomain,
  'dns1035-label': checkDns1035Label,
  'qualified-name': checkQualifiedName,
  'label-value': checkLabelValue,
  'c-identifier': checkCIdentifier,
  'env-var-name': checkEnvVarName,
  'config-map-key': checkConfigMapKey,
  'http-header-name': checkHttpHeaderName,
  'port-name': checkPortName,
};

function nameText(random: Random): string {
  const most = random.pick([3, 10, 16, 62, 64, 260]);
  return random.pick([
    () => text(random, 'abcdefghij0123456789', most),
    () => text(random, 'abc-.', most),
    () => text(random, 'abcABC-._/', most),
    () => random.pick(['', '.', '..', '..a', '-', 'a-', 'a/b', 'a/', '/a', 'a/b/c', 'A', '1', '1a', 'a..b', 'é']),
  ])();
}

function labelKey(random: Random): string {
  return random.int(6) === 0 ? nameText(random) : random.pick(['app', 'tier', 'example.com/role', 'x', 'in', 'notin']);
}

function labelValue(random: Random): string {
  return random.int(8) === 0
    ? nameText(random).slice(0, 70)
    : random.pick(['', 'a', 'b', 'web', '1', '-2', '10', 'x.y_z']);
}

function requirement(random: Random): string {
  const key = labelKey(random);
  const space = (): string => random.pick(['', '', '', ' ', '  ', '\t']);
  const set = (): string =>
    `(${space()}${Array.from({ length: random.int(4) }, () => labelValue(random)).join(`${space()},${space()}`)}${space()}${random.int(20) === 0 ? '' : ')'}`;
  return random.pick([
    () => `${key}${space()}${random.pick(['=', '==', '!=', '>', '<', '=>', '=!'])}${space()}${labelValue(random)}`,
    () => `${key} ${random.pick(['in', 'notin', 'IN', 'exists'])} ${set()}`,
    () => key,
    () => `!${space()}${key}`,
  ])();
}

function selectorText(random: Random): string {
  const count = random.int(4);
  const joined = Array.from({ length: count }, () => requirement(random)).join(
    random.pick([',', ',', ', ', ',,', ' ']),
  );
  return random.int(10) === 0 ? `${joined}${random.pick([',', '!', '(', ')', '=', ' in'])}` : joined;
}

export const textSubjects: readonly Subject[] = [
  {
    name: 'names',
    ask: (random) => ({ op: 'name', rule: random.pick(Object.keys(RULES)), text: nameText(random) }),
    answer: ({ rule = '', text: asked = '' }) => {
      const list = [...(RULES[rule] as (name: string) => Complaints)(asked)];
      return { ok: list.length === 0, list };
    },
  },
  {
    name: 'label selector',
    ask: (random) => ({ op: 'label-selector', text: selectorText(random) }),
    answer: ({ text: asked = '' }) => {
      const result = parseLabelSelector(asked);
      return result.ok ? { ok: true, out: formatLabelSelector(result.selector) } : { ok: false, error: result.message };
    },
  },
  {
    name: 'label match',
    ask: (random) => {
      const labels: Record<string, string> = {};
      for (let left = random.int(5); left > 0; left--)
        labels[random.pick(['app', 'tier', 'example.com/role', 'x'])] = labelValue(random);
      return { op: 'label-match', text: selectorText(random), doc: JSON.stringify(labels) };
    },
    answer: ({ text: asked = '', doc = '' }) => {
      const result = parseLabelSelector(asked);
      if (!result.ok) return { ok: false, error: result.message };
      return {
        ok: true,
        out: compileLabelSelectorForRecord(result.selector)(JSON.parse(doc) as Record<string, string>),
      };
    },
  },
  {
    name: 'label selector object',
    ask: (random) => {
      const matchLabels: Record<string, string> = {};
      for (let left = random.int(3); left > 0; left--) matchLabels[labelKey(random)] = labelValue(random);
      const matchExpressions = Array.from({ length: random.int(3) }, () => ({
        key: labelKey(random),
        operator: random.pick(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', '']),
        values: Array.from({ length: random.int(3) }, () => labelValue(random)),
      }));
      return { op: 'label-selector-object', doc: JSON.stringify({ matchLabels, matchExpressions }) };
    },
    answer: ({ doc = '' }) => {
      const result = labelSelectorFromObject(JSON.parse(doc) as LabelSelectorObject);
      return result.ok ? { ok: true, out: formatLabelSelector(result.selector) } : { ok: false, error: result.message };
    },
    // The reference walks matchLabels in Go's random map order: of several invalid labels, it reports any.
    compareErrors: false,
  },
  {
    name: 'field selector',
    ask: (random) => ({
      op: 'field-selector',
      text: Array.from(
        { length: random.int(4) },
        () =>
          `${random.pick(['metadata.name', 'spec.nodeName', 'a', '', 'é'])}${random.pick(['=', '==', '!=', '', '=!'])}${repeat(random, 6, () => random.pick([...'ab.,=\\!', '\\\\', '\\,', '\\=']))}`,
      ).join(random.pick([',', ',', ',,', ' ,'])),
    }),
    answer: ({ text: asked = '' }) => {
      const result = parseFieldSelector(asked);
      return result.ok ? { ok: true, out: formatFieldSelector(result.selector) } : { ok: false, error: result.message };
    },
  },
];
