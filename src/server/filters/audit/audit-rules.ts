/**
 * What an audit policy says, as data. Invariant: nothing here is absent: an empty list or text is what the file does
 * not say.
 */

export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

export interface AuditGroupResources {
  /** '' is the core group, `*` every group. */
  readonly group: string;
  /** `pods`, `pods/log`, `pods/*`, `*\/scale`, `*`. Empty: all. */
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** Empty lists match everything. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly AuditGroupResources[];
  /** '' is what has no namespace. */
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly AuditStage[];
  /** Undefined: as the policy says. */
  readonly omitManagedFields: boolean | undefined;
}

export interface AuditPolicy {
  /** The first that matches counts; a request that none matches is not logged. */
  readonly rules: readonly AuditRule[];
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}
