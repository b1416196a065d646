/** Validation of audit policies. Returns issues with the reference's texts and in its order. */
import { type FieldIssue, invalid, notSupported, required } from '../../../apimachinery/validation/field-issue.ts';
import { childPath, type FieldPath, indexPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import type { AuditGroupResources, AuditPolicy, AuditRule } from './audit-rules.ts';

const LEVELS: readonly string[] = ['None', 'Metadata', 'Request', 'RequestResponse'];
const STAGES: readonly string[] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'];

export function validateAuditPolicy(policy: AuditPolicy): FieldIssue[] {
  const issues = validateStages(policy.omitStages, childPath(undefined, 'omitStages'));
  const rules = childPath(undefined, 'rules');
  for (const [i, rule] of policy.rules.entries()) issues.push(...validateRule(rule, indexPath(rules, i)));
  return issues;
}

function validateRule(rule: AuditRule, path: FieldPath): FieldIssue[] {
  const urls = childPath(path, 'nonResourceURLs');
  const issues = [
    ...validateLevel(rule.level, childPath(path, 'level')),
    ...validateUrls(rule.nonResourceURLs, urls),
    ...validateResources(rule.resources, childPath(path, 'resources')),
    ...validateStages(rule.omitStages, childPath(path, 'omitStages')),
  ];
  if (rule.nonResourceURLs.length > 0 && (rule.resources.length > 0 || rule.namespaces.length > 0))
    issues.push(
      invalid(urls, [...rule.nonResourceURLs], 'rules cannot apply to both regular resources and non-resource URLs'),
    );
  return issues;
}

function validateLevel(level: string, path: FieldPath): FieldIssue[] {
  if (LEVELS.includes(level)) return [];
  return level === '' ? [required(path, '')] : [notSupported(path, level, LEVELS)];
}

function validateUrls(urls: readonly string[], path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  for (const [i, url] of urls.entries()) {
    if (url === '*') continue;
    if (!url.startsWith('/'))
      issues.push(invalid(indexPath(path, i), url, "non-resource URL rules must begin with a '/' character"));
    if (url.slice(0, -1).includes('*'))
      issues.push(
        invalid(indexPath(path, i), url, "non-resource URL wildcards '*' must be the final character of the rule"),
      );
  }
  return issues;
}

/** The field paths of the issues have no index, as in the reference. */
function validateResources(resources: readonly AuditGroupResources[], path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  for (const { group, resources: names, resourceNames } of resources) {
    const complaints = group === '' || group === '*' ? [] : nameIsDnsSubdomain(group, false);
    if (complaints.length > 0) issues.push(invalid(childPath(path, 'group'), group, complaints.join(',')));
    if (resourceNames.length > 0 && names.length === 0)
      issues.push(
        invalid(
          childPath(path, 'resourceNames'),
          [...resourceNames],
          'using resourceNames requires at least one resource',
        ),
      );
  }
  return issues;
}

function validateStages(stages: readonly string[], path: FieldPath): FieldIssue[] {
  return stages.flatMap((stage, i) =>
    STAGES.includes(stage) ? [] : [invalid(indexPath(path, i), stage, `allowed stages are ${STAGES.join(',')}`)],
  );
}
