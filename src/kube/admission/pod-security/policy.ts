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
const DEFAULT: Policy = { enforce: ANYTHING, audit: ANYTHING, warn: ANYTHING };
const NO_LABELS: PolicyResult = { policy: DEFAULT, issues: [] };
const VERSION = /^v1\.(0|[1-9][0-9]*)$/;
const LABELS = FieldPath.of('metadata').child('labels');

/** Parses the labels. Issues are ordered enforce, audit, warn; the level comes before the version. */
export function policyOf(labels: Readonly<Record<string, string>>): PolicyResult {
  if (!Object.keys(labels).some((label) => label.startsWith(PREFIX))) return NO_LABELS;
  const issues: FieldIssue[] = [];
  const read = (mode: string, otherwise: Level): LevelVersion => {
    const level = labels[PREFIX + mode];
    const version = labels[`${PREFIX}${mode}-version`];
    return {
      level: level === undefined ? 'privileged' : parseLevel(level, PREFIX + mode, otherwise, issues),
      minor: version === undefined ? LATEST : parseVersion(version, `${PREFIX}${mode}-version`, issues),
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
  if (LEVELS.includes(text as Level)) return text as Level;
  issues.push(invalid(LABELS.key(label), text, `must be one of ${LEVELS.join(', ')}`));
  return otherwise;
}

function parseVersion(text: string, label: string, issues: FieldIssue[]): number {
  if (text === 'latest') return LATEST;
  const minor = Number(VERSION.exec(text)?.[1]);
  if (Number.isSafeInteger(minor)) return minor;
  issues.push(invalid(LABELS.key(label), text, 'must be "latest" or "v1.x"'));
  return LATEST;
}

/** Returns a negative number if `a` is less strict than `b`. */
export function compareLevels(a: Level, b: Level): number {
  return LEVELS.indexOf(a) - LEVELS.indexOf(b);
}

export function isSamePolicy(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && a.minor === b.minor;
}

export function formatPolicy({ level, minor }: LevelVersion): string {
  return `${level}:${minor === LATEST ? 'latest' : `v1.${minor}`}`;
}
