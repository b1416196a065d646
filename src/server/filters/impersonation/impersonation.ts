/**
 * The impersonation filter (`kubectl --as`).
 *
 * Invariants: after this filter `user` is the impersonated user; only `impersonator` and the audit event have the
 * authenticated one. The mode that last succeeded for a sender is tried first, which changes only the number of checks
 * and which refusal is sent.
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

/** The number of senders whose last mode is kept. The least recently used one is dropped first. */
const MAX_REMEMBERED = 10_000;

export function withImpersonation(authorizer: Authorizer): RequestFilter {
  const modes = impersonationModes(authorizer);
  const lastMode = new Map<string, number>();
  const decide = async (request: ServerRequest, requested: UserInfo): Promise<ModeResult> => {
    const attributes = attributesOf(request.user, request.info);
    const sender = request.user.name;
    const last = lastMode.get(sender);
    let refusal: Status | undefined;
    for (const i of orderOf(modes.length, last)) {
      const result = await modes[i]?.(requested, attributes);
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
