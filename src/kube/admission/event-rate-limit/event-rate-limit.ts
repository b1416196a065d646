/**
 * The plugin EventRateLimit. It refuses Events of the core group beyond the configured limits. Dry runs do not count.
 * A request takes a token of every limit, also of those after one that refuses it, as in the reference.
 */
import { textAt } from '../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { tooManyRequests } from '../../../apimachinery/status/status-catalogue.ts';
import type { Clock } from '../../../base/clock.ts';
import { LruMap } from '../../../base/lru-map.ts';
import { TokenBucket } from '../../../base/token-bucket.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../server/admission.ts';
import type { EventLimit, EventLimitType } from './configuration.ts';

export function eventRateLimit(limits: readonly EventLimit[], clock: Pick<Clock, 'monotonic'>): AdmissionPlugin {
  const enforcers = limits.map((limit) => new LimitEnforcer(limit));
  return {
    name: 'EventRateLimit',
    resources: ['events'],
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    validate: (attributes) => {
      if (attributes.kind.group !== '' || attributes.kind.kind !== 'Event' || attributes.dryRun) return;
      const now = clock.monotonic();
      const refusals = enforcers.flatMap((enforcer) => enforcer.refusal(attributes, now) ?? []);
      const [only, ...more] = new Set(refusals);
      if (only === undefined) return;
      const refusal = more.length === 0 ? only : `[${[only, ...more].join(', ')}]`;
      throw new StatusError(tooManyRequests(`Too many requests: ${refusal}`));
    },
  };
}

class LimitEnforcer {
  readonly #limit: EventLimit;
  readonly #buckets: LruMap<string, TokenBucket>;

  constructor(limit: EventLimit) {
    this.#limit = limit;
    this.#buckets = new LruMap(limit.type === 'Server' ? 1 : limit.cacheSize);
  }

  /** Takes a token. Returns the message if there is none. */
  refusal(attributes: AdmissionAttributes, now: number): string | undefined {
    const { type, burst, perSecond } = this.#limit;
    const key = KEYS[type](attributes);
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = new TokenBucket(burst, perSecond, now);
      this.#buckets.set(key, bucket);
    }
    return bucket.take(now) ? undefined : `limit reached on type ${type} for key ${key}`;
  }
}

const KEYS: Readonly<Record<EventLimitType, (attributes: AdmissionAttributes) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject: ({ object = {} }) =>
    [
      textAt(object, 'source', 'component'),
      textAt(object, 'source', 'host'),
      ...['kind', 'namespace', 'name', 'uid', 'apiVersion'].map((name) => textAt(object, 'involvedObject', name)),
    ].join(''),
};
