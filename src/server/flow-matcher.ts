/** The interface that assigns a request to a flow of API Priority and Fairness, for the headers of the answer. */
import type { UserInfo } from '../apimachinery/meta/user-info.ts';
import type { RequestInfo } from './http/request-info.ts';

/**
 * The uids of the FlowSchema and of the PriorityLevelConfiguration that match the request; '' for one that does not
 * exist.
 */
export interface Flow {
  readonly schemaUid: string;
  readonly priorityLevelUid: string;
}

export interface FlowMatcher {
  /**
   * Called for every request before authorization, so it must not wait or read a list. Returns undefined while the
   * configuration is not known yet; the answer then has no flow headers.
   */
  match(user: UserInfo, info: RequestInfo): Flow | undefined;
}
