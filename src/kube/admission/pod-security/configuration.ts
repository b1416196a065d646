/** The configuration of the plugin PodSecurity: defaults for namespaces without labels, and exemptions. */
import { type ConfigKind, configType, listType, structType, TEXT } from '../../../apimachinery/codec/config-object.ts';
import { textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import { duplicate, type FieldIssue, invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { type LevelVersion, levelProblem, type Policy, parsedLevel, parsedVersion, versionProblem } from './policy.ts';

export interface PodSecurityConfiguration {
  readonly defaults: Policy;
  readonly exemptions: PodSecurityExemptions;
}

/** Requests that are not judged. */
export interface PodSecurityExemptions {
  readonly usernames: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  readonly runtimeClasses: ReadonlySet<string>;
}

export const POD_SECURITY_CONFIGURATION: ConfigKind = {
  kind: 'PodSecurityConfiguration',
  apiVersions: ['v1', 'v1beta1', 'v1alpha1'].map((version) => `pod-security.admission.config.k8s.io/${version}`),
  strict: true,
  view: configType('v1.PodSecurityConfiguration', {
    defaults: structType('v1.PodSecurityDefaults', {
      enforce: TEXT,
      'enforce-version': TEXT,
      audit: TEXT,
      'audit-version': TEXT,
      warn: TEXT,
      'warn-version': TEXT,
    }),
    exemptions: structType('v1.PodSecurityExemptions', {
      usernames: listType(TEXT),
      namespaces: listType(TEXT),
      runtimeClasses: listType(TEXT),
    }),
  }),
};

const DEFAULTS = FieldPath.of('defaults');
const EXEMPTIONS = FieldPath.of('exemptions');

/** Returns the issues of a decoded configuration; none if it is valid. */
export function validatePodSecurityConfiguration(configuration: JsonObject): readonly FieldIssue[] {
  const exempted = (name: string): readonly string[] => textsAt(configuration, 'exemptions', name);
  return [
    ...['enforce', 'warn', 'audit'].flatMap((mode) => modeIssues(configuration, mode)),
    ...listIssues('namespaces', exempted('namespaces'), checkDns1123Label),
    ...listIssues('runtimeClasses', exempted('runtimeClasses'), checkDns1123Subdomain),
    ...listIssues('usernames', exempted('usernames'), (name) => (name === '' ? ['username must not be empty'] : [])),
  ];
}

/** Reads a decoded configuration that is valid. */
export function podSecurityConfigurationOf(configuration: JsonObject): PodSecurityConfiguration {
  const exempted = (name: string): ReadonlySet<string> => new Set(textsAt(configuration, 'exemptions', name));
  return {
    defaults: {
      enforce: defaultOf(configuration, 'enforce'),
      audit: defaultOf(configuration, 'audit'),
      warn: defaultOf(configuration, 'warn'),
    },
    exemptions: {
      usernames: exempted('usernames'),
      namespaces: exempted('namespaces'),
      runtimeClasses: exempted('runtimeClasses'),
    },
  };
}

function modeIssues(configuration: JsonObject, mode: string): FieldIssue[] {
  const level = textAt(configuration, 'defaults', mode);
  const version = textAt(configuration, 'defaults', `${mode}-version`);
  const problems = [
    { field: mode, value: level, problem: level === '' ? undefined : levelProblem(level) },
    { field: `${mode}-version`, value: version, problem: version === '' ? undefined : versionProblem(version) },
  ];
  return problems.flatMap(({ field, value, problem }) =>
    problem === undefined ? [] : [invalid(DEFAULTS.child(field), value, problem)],
  );
}

function listIssues(
  name: string,
  values: readonly string[],
  check: (value: string) => readonly string[],
): FieldIssue[] {
  const valid = new Set<string>();
  return values.flatMap((value, i) => {
    const path = EXEMPTIONS.child(name).index(i);
    const problems = check(value);
    if (problems.length > 0) return [invalid(path, value, problems.join(', '))];
    if (valid.has(value)) return [duplicate(path, value)];
    valid.add(value);
    return [];
  });
}

function defaultOf(configuration: JsonObject, mode: string): LevelVersion {
  return {
    level: parsedLevel(textAt(configuration, 'defaults', mode)) ?? 'privileged',
    minor: parsedVersion(textAt(configuration, 'defaults', `${mode}-version`)) ?? Number.POSITIVE_INFINITY,
  };
}
