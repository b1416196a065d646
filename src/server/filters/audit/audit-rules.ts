/** An audit policy as data. Every field is present: what the file leaves out is an empty list or string. */

export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

export interface AuditGroupResources {
  /** '' is the core group, `*` every group. */
  readonly group: string;
  /** `pods`, `pods/log`, `pods/*`, `*\/scale`, `*`. Empty: all. */
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** One rule. Empty lists match everything. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly AuditGroupResources[];
  /** '' matches requests without a namespace. */
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly AuditStage[];
  /** Undefined: the value of the policy applies. */
  readonly omitManagedFields: boolean | undefined;
}

export interface AuditPolicy {
  /** The first rule that matches decides. A request that no rule matches is not logged. */
  readonly rules: readonly AuditRule[];
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}
