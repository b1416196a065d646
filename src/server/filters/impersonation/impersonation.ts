/**
 * Acting as another user (`kubectl --as`). Invariant: behind this filter `user` is the one who is acted as, and nothing
 * shows that somebody else is behind it, except `impersonator` and the audit event. The mode that worked last for a
 * sender is tried first, which changes only the number of questions and which refusal is told.
 */

import type { UserInfo } from '../../../apimachinery/meta/user-info.ts';
import type { Status } from '../../../apimachinery/status/status.ts';
import { badRequest } from '../../../apimachinery/status/status-catalogue.ts';
import { BugError } from '../../../base/errors.ts';
import type { Authorizer } from '../../authorizer.ts';
import type { Answer } from '../../http/exchange.ts';
import { statusAnswerUnsniffed } from '../../http/plain-answers.ts';
import type { RequestFilter, RequestHandler, ServerRequest } from '../../http/server-request.ts';
import { attributesOf } from '../authorization.ts';
import { IncomingWithoutHeaders } from '../hidden-headers.ts';
import { isImpersonationHeader, readImpersonation } from './impersonation-headers.ts';
import { impersonationModes, type ModeResult } from './impersonation-modes.ts';

/** Senders whose last mode is remembered; the longest unused is forgotten first. */
const MAX_REMEMBERED = 10_000;

export function withImpersonation(authorizer: Authorizer): RequestFilter {
  const modes = impersonationModes(authorizer);
  const lastMode = new Map<string, number>();
  const decide = async (request: ServerRequest, wanted: UserInfo): Promise<ModeResult> => {
    const attributes = attributesOf(request.user, request.info);
    const sender = request.user.name;
    const last = lastMode.get(sender);
    let refusal: Status | undefined;
    for (const i of orderOf(modes.length, last)) {
      const result = await modes[i]?.(wanted, attributes);
      if (result === undefined) continue;
      if (result.outcome === 'ok') {
        remember(lastMode, sender, i);
        return result;
      }
      refusal ??= result.status;
    }
    if (refusal === undefined) throw new BugError('no impersonation mode applies');
    return { outcome: 'refused', status: refusal };
  };
  return (next) => (request) => {
    const requested = readImpersonation(request.incoming);
    if (requested === undefined) return next(request);
    if (requested.kind === 'malformed') return statusAnswerUnsniffed(request, badRequest(requested.message));
    return decide(request, requested.user).then((result) => become(next, request, result));
  };
}

async function become(next: RequestHandler, request: ServerRequest, result: ModeResult): Promise<Answer> {
  if (result.outcome === 'refused') return statusAnswerUnsniffed(request, result.status);
  request.impersonator = request.user;
  request.user = result.user;
  if (request.audit !== undefined) request.audit.impersonationConstraint = result.constraint;
  request.incoming = new IncomingWithoutHeaders(request.incoming, isImpersonationHeader);
  return next(request);
}

function orderOf(count: number, first: number | undefined): number[] {
  const order = Array.from({ length: count }, (_, i) => i);
  return first === undefined ? order : [first, ...order.filter((i) => i !== first)];
}

function remember(lastMode: Map<string, number>, sender: string, mode: number): void {
  lastMode.delete(sender);
  lastMode.set(sender, mode);
  if (lastMode.size <= MAX_REMEMBERED) return;
  for (const oldest of lastMode.keys()) {
    lastMode.delete(oldest);
    return;
  }
}
