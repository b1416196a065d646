/**
 * The PodSecurity policy in the labels of a namespace.
 * Invariant: an invalid level is `restricted` for enforce and `privileged` for audit and warn, so a typing error never
 * weakens enforcement.
 */
import { type FieldIssue, invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';

export type Level = 'privileged' | 'baseline' | 'restricted';

/** Ordered from least to most strict. */
const LEVELS: readonly Level[] = ['privileged', 'baseline', 'restricted'];

export interface LevelVersion {
  readonly level: Level;
  /** The minor version. Infinity for `latest`. */
  readonly minor: number;
}

export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

export interface PolicyResult {
  readonly policy: Policy;
  readonly issues: readonly FieldIssue[];
}

export const PREFIX = 'pod-security.kubernetes.io/';
const LATEST = Number.POSITIVE_INFINITY;
const ANYTHING: LevelVersion = { level: 'privileged', minor: LATEST };
/** The policy of namespaces without labels if nothing is configured. */
export const PRIVILEGED: Policy = { enforce: ANYTHING, audit: ANYTHING, warn: ANYTHING };
const VERSION = /^v1\.(0|[1-9][0-9]*)$/;
const LABELS = FieldPath.of('metadata').child('labels');

/**
 * Parses the labels. A level or version without a label is that of `defaults`. Issues are ordered enforce, audit, warn;
 * the level comes before the version.
 */
export function policyOf(labels: Readonly<Record<string, string>>, defaults: Policy = PRIVILEGED): PolicyResult {
  if (!Object.keys(labels).some((label) => label.startsWith(PREFIX))) return { policy: defaults, issues: [] };
  const issues: FieldIssue[] = [];
  const read = (mode: keyof Policy, otherwise: Level): LevelVersion => {
    const level = labels[PREFIX + mode];
    const version = labels[`${PREFIX}${mode}-version`];
    return {
      level: level === undefined ? defaults[mode].level : parseLevel(level, PREFIX + mode, otherwise, issues),
      minor: version === undefined ? defaults[mode].minor : parseVersion(version, `${PREFIX}${mode}-version`, issues),
    };
  };
  const enforce = read('enforce', 'restricted');
  const audit = read('audit', 'privileged');
  const warn = read('warn', 'privileged');
  return { policy: { enforce, audit, warn: defaultWarn(labels, enforce, warn) }, issues };
}

/** If enforce is set and warn is not, warnings use the enforced level. */
function defaultWarn(
  labels: Readonly<Record<string, string>>,
  enforce: LevelVersion,
  warn: LevelVersion,
): LevelVersion {
  const isEnforced = LEVELS.includes(labels[`${PREFIX}enforce`] as Level);
  if (!isEnforced || labels[`${PREFIX}warn`] !== undefined || compareLevels(enforce.level, warn.level) <= 0)
    return warn;
  return { level: enforce.level, minor: labels[`${PREFIX}warn-version`] === undefined ? enforce.minor : warn.minor };
}

function parseLevel(text: string, label: string, otherwise: Level, issues: FieldIssue[]): Level {
  const problem = levelProblem(text);
  if (problem !== undefined) issues.push(invalid(LABELS.key(label), text, problem));
  return parsedLevel(text) ?? otherwise;
}

function parseVersion(text: string, label: string, issues: FieldIssue[]): number {
  const problem = versionProblem(text);
  if (problem !== undefined) issues.push(invalid(LABELS.key(label), text, problem));
  return parsedVersion(text) ?? LATEST;
}

/** Returns undefined for a text that is not a level. */
export function parsedLevel(text: string): Level | undefined {
  return LEVELS.find((level) => level === text);
}

/** Returns the minor version, and undefined for a text that is not a version. */
export function parsedVersion(text: string): number | undefined {
  if (text === 'latest') return LATEST;
  const minor = Number(VERSION.exec(text)?.[1]);
  return Number.isSafeInteger(minor) ? minor : undefined;
}

export function levelProblem(text: string): string | undefined {
  return parsedLevel(text) === undefined ? `must be one of ${LEVELS.join(', ')}` : undefined;
}

export function versionProblem(text: string): string | undefined {
  return parsedVersion(text) === undefined ? 'must be "latest" or "v1.x"' : undefined;
}

/** Returns a negative number if `a` is less strict than `b`. */
export function compareLevels(a: Level, b: Level): number {
  return LEVELS.indexOf(a) - LEVELS.indexOf(b);
}

/** Whether nothing is enforced, audited or warned about. */
export function isPrivileged({ enforce, audit, warn }: Policy): boolean {
  return enforce.level === 'privileged' && audit.level === 'privileged' && warn.level === 'privileged';
}

/** Whether two policies have the same effect. The version of the level privileged has none. */
export function isEquivalent(a: Policy, b: Policy): boolean {
  return (['enforce', 'audit', 'warn'] as const).every(
    (mode) => (a[mode].level === 'privileged' && b[mode].level === 'privileged') || isSamePolicy(a[mode], b[mode]),
  );
}

export function isSamePolicy(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && a.minor === b.minor;
}

export function formatPolicy({ level, minor }: LevelVersion): string {
  return `${level}:${minor === LATEST ? 'latest' : `v1.${minor}`}`;
}
