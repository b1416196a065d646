/**
 * The metrics of admission webhooks, policies and match conditions, under kube-apiserver's names, labels and buckets.
 */
import type { Clock } from '../base/clock.ts';
import type { MetricRegistry } from '../base/metrics/metric-registry.ts';
import type { Operation } from '../server/admission.ts';
import { OUT_OF_BUDGET } from './cost-limits.ts';

/** `admit` for mutating webhooks. */
export type WebhookType = 'admit' | 'validating';

/** The webhook or policy that has conditions. */
export interface ConditionOwner {
  readonly name: string;
  readonly kind: 'webhook' | 'policy';
  /** Conditions of validating webhooks are counted as `validating`, and those of all policies as `validate`. */
  readonly type: WebhookType | 'validate';
  readonly operation: Operation;
}

export interface WebhookOutcome {
  readonly milliseconds: number;
  /** The HTTP status of the answer or of the refusal; 0 for an error of this server. */
  readonly code: number;
  /** Undefined if the request is not refused. */
  readonly rejection: 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error' | undefined;
}

export interface PolicyCheck {
  readonly policy: string;
  readonly binding: string;
  readonly milliseconds: number;
  /** The message of the denial or error; '' for none. */
  readonly message: string;
}

/** Counts the calls of webhooks and the evaluations of policies. Hooks that do not match a request are not counted. */
export interface HookMetrics {
  /** Returns the time on a monotonic axis, in milliseconds. */
  now(): number;
  /** Counts a call of a webhook, with its outcome. */
  webhookCalled(name: string, type: WebhookType, operation: Operation, outcome: WebhookOutcome): void;
  /** Counts a failure that is ignored. */
  webhookFailedOpen(name: string, type: WebhookType): void;
  /**
   * Counts conditions that do not hold or fail. As in kube-apiserver those that hold are not counted. `errors`: the
   * number of conditions that failed.
   */
  conditionsRefused(owner: ConditionOwner, milliseconds: number, errors: number): void;
  /** Counts a request that the conditions of a webhook exclude. The type of a validating webhook is `validate` here. */
  conditionsExcluded(owner: ConditionOwner): void;
  /** Counts a validation that does not hold, or an error. `allow` is for errors that are ignored. */
  policyChecked(check: PolicyCheck, action: 'allow' | 'deny' | 'audit' | 'warn'): void;
  /** Counts a mutation of a policy, whether it fails or not. */
  mutationChecked(check: PolicyCheck): void;
}

const WEBHOOK_BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
const CONDITION_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];
const POLICY_BUCKETS = [0.0000005, 0.001, 0.01, 0.1, 1];
/** Larger codes share one label, because webhooks choose them. */
const MAX_CODE = 600;
const CONDITION_LABELS = ['name', 'kind', 'type', 'operation'] as const;

/** Registers the metrics. Called once per registry; a second call throws BugError. */
export function createHookMetrics(registry: MetricRegistry, clock: Pick<Clock, 'monotonic'>): HookMetrics {
  const webhooks = webhookMetrics(registry);
  const conditions = conditionMetrics(registry);
  return {
    now: () => clock.monotonic(),
    ...webhooks,
    ...conditions,
    policyChecked: checkMetrics(registry, {
      prefix: 'apiserver_validating_admission_policy',
      help: [
        'Validations of policies that do not hold or fail, by policy, binding, error and enforcement action.',
        'Seconds that the evaluation of a policy took which did not hold or failed.',
      ],
      moreLabels: ['enforcement_action'],
    }),
    mutationChecked: checkMetrics(registry, {
      prefix: 'apiserver_mutating_admission_policy',
      help: ['Mutations of policies, by policy, binding and error.', 'Seconds that a mutation of a policy took.'],
      moreLabels: [],
    }),
  };
}

interface CheckMetrics {
  readonly prefix: string;
  /** The help of the counter and of the histogram. */
  readonly help: readonly [count: string, seconds: string];
  /** After `policy`, `policy_binding` and `error_type`. */
  readonly moreLabels: readonly string[];
}

/** The count and the duration of checks. `more` are the values of `moreLabels`. */
function checkMetrics(
  registry: MetricRegistry,
  { prefix, help: [count, seconds], moreLabels }: CheckMetrics,
): (check: PolicyCheck, ...more: string[]) => void {
  const labels: readonly string[] = ['policy', 'policy_binding', 'error_type', ...moreLabels];
  const checks = registry.counter({ name: `${prefix}_check_total`, help: count, labels });
  const durations = registry.histogram({
    name: `${prefix}_check_duration_seconds`,
    help: seconds,
    labels,
    buckets: POLICY_BUCKETS,
  });
  return ({ policy, binding, milliseconds, message }, ...more) => {
    const values = [policy, binding, errorType(message), ...more];
    checks.labels(...values).add();
    durations.labels(...values).observe(milliseconds / 1000);
  };
}

function webhookMetrics(registry: MetricRegistry): Pick<HookMetrics, 'webhookCalled' | 'webhookFailedOpen'> {
  const durations = registry.histogram({
    name: 'apiserver_admission_webhook_admission_duration_seconds',
    help: 'Seconds that the call of an admission webhook took, by webhook, type and operation.',
    labels: ['name', 'type', 'operation', 'rejected'] as const,
    buckets: WEBHOOK_BUCKETS,
  });
  const requests = registry.counter({
    name: 'apiserver_admission_webhook_request_total',
    help: 'Calls of admission webhooks, by webhook, type, operation and HTTP status. Codes above 600 count as 600.',
    labels: ['name', 'type', 'operation', 'code', 'rejected'] as const,
  });
  const rejections = registry.counter({
    name: 'apiserver_admission_webhook_rejection_count',
    help: 'Requests that an admission webhook refused, or that were refused because it could not be called.',
    labels: ['name', 'type', 'operation', 'error_type', 'rejection_code'] as const,
  });
  const failedOpen = registry.counter({
    name: 'apiserver_admission_webhook_fail_open_count',
    help: 'Failures of admission webhooks that were ignored, by webhook and type.',
    labels: ['name', 'type'] as const,
  });
  return {
    webhookCalled: (name, type, operation, { milliseconds, code, rejection }) => {
      const shown = `${Math.min(code, MAX_CODE)}`;
      const rejected = `${rejection !== undefined}`;
      if (rejection !== undefined) rejections.labels(name, type, operation, rejection, shown).add();
      requests.labels(name, type, operation, shown, rejected).add();
      durations.labels(name, type, operation, rejected).observe(milliseconds / 1000);
    },
    webhookFailedOpen: (name, type) => failedOpen.labels(name, type).add(),
  };
}

function conditionMetrics(registry: MetricRegistry): Pick<HookMetrics, 'conditionsRefused' | 'conditionsExcluded'> {
  const durations = registry.histogram({
    name: 'apiserver_admission_match_condition_evaluation_seconds',
    help: 'Seconds that match conditions of a webhook or policy took which did not hold or failed.',
    labels: CONDITION_LABELS,
    buckets: CONDITION_BUCKETS,
  });
  const failures = registry.counter({
    name: 'apiserver_admission_match_condition_evaluation_errors_total',
    help: 'Match conditions of webhooks and policies that failed.',
    labels: CONDITION_LABELS,
  });
  const exclusions = registry.counter({
    name: 'apiserver_admission_match_condition_exclusions_total',
    help: 'Requests that the match conditions of a webhook exclude.',
    labels: CONDITION_LABELS,
  });
  return {
    conditionsRefused: ({ name, kind, type, operation }, milliseconds, errors) => {
      if (errors > 0) failures.labels(name, kind, type, operation).add(errors);
      durations.labels(name, kind, type, operation).observe(milliseconds / 1000);
    },
    conditionsExcluded: ({ name, kind, type, operation }) =>
      exclusions.labels(name, kind, type === 'validating' ? 'validate' : type, operation).add(),
  };
}

/** As in kube-apiserver, a validation that does not hold is an `invalid_error`. */
function errorType(message: string): string {
  if (message === '') return 'no_error';
  if (message.startsWith('compilation')) return 'compile_error';
  return message.startsWith(OUT_OF_BUDGET) ? 'out_of_budget' : 'invalid_error';
}
