/**
 * The loop that writes accepted names and conditions of definitions: NamesAccepted, Established, NonStructuralSchema,
 * KubernetesAPIApprovalPolicyConformant. Invariants: all changes that a state needs are written in one update; for a
 * definition that this server creates they are written in the same commit; a definition whose names are taken gets them
 * when they become free.
 */

import { ensureObject, objectAt } from '../../apimachinery/meta/object-fields.ts';
import type { Clock } from '../../base/clock.ts';
import { cloneJson, type JsonObject } from '../../base/json-value.ts';
import { processQueue } from '../../base/process-queue.ts';
import { WorkQueue } from '../../base/work-queue.ts';
import { timestamp } from '../../server/registry/object-metadata.ts';
import type { FollowUp } from '../../server/resource/strategy.ts';
import { type Crd, type CrdNames, readCrd } from '../crd.ts';
import type { CrdChange, CrdLister } from '../crd-lister.ts';
import { apiApprovalConformance } from '../definition/api-approval.ts';
import {
  findCondition,
  isConditionTrue,
  isSameCondition,
  removeCondition,
  setCondition,
  type WantedCondition,
} from '../definition/crd-conditions.ts';
import { establishedOutcome, hasItsNames, namingConditions, sameNames } from '../definition/naming.ts';
import { nonStructuralCondition } from '../definition/non-structural.ts';
import type { CheckCaBundle } from '../definition/validation/check-ca-bundle.ts';
import type { SchemaChecks } from '../definition/validation/schema-checks.ts';
import type { DefinitionWriter } from './definition-writer.ts';
import { NameClaims } from './name-claims.ts';

export interface StatusLoopOptions {
  readonly clock: Clock;
  readonly lister: CrdLister;
  readonly writer: DefinitionWriter;
  readonly checks: SchemaChecks;
  readonly caBundle: CheckCaBundle;
  onFailure(name: string, error: Error): void;
}

export class StatusLoop {
  readonly #options: StatusLoopOptions;
  readonly #queue: WorkQueue;
  readonly #claims = new NameClaims();
  /** Definitions whose status is being written. */
  readonly #writing = new Set<string>();
  /** By group, the definitions that do not have all the names they want. */
  readonly #unnamed = new Map<string, Set<string>>();
  /** By definition, the generation whose schemas were checked. */
  readonly #checked = new Map<string, number>();

  constructor(options: StatusLoopOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ clock: options.clock });
  }

  /** Begins to process the definitions that `changed` names. Call it once. */
  start(): void {
    void processQueue(this.#queue, {
      work: (name) => this.#sync(name),
      onFailure: (name, error) => this.#options.onFailure(name, error),
    });
  }

  /** The listener for changes of definitions; see `CrdLister.follow`. */
  readonly changed = (changes: readonly CrdChange[]): void => {
    for (const { name, crd } of changes) {
      const group = groupOf(name);
      if (crd === undefined) this.#checked.delete(name);
      this.#note(group, name, crd !== undefined && !hasItsNames(crd));
      // The names of a running write count as taken until the lister shows its outcome.
      if (!this.#writing.has(name)) this.#claim(name, crd);
      if (crd !== undefined) this.#queue.add(name);
    }
  };

  /**
   * Returns the status that is written together with a new definition: the one that this loop would write when it sees
   * it. Returns undefined if there is nothing to write.
   */
  statusOnCreate(object: JsonObject): FollowUp | undefined {
    const crd = readCrd(object);
    const { name } = crd;
    const { lister, writer } = this.#options;
    if (lister.get(name) !== undefined || this.#writing.has(name)) return undefined;
    const wanted = this.#decide(crd);
    if (wanted === undefined) return undefined;
    const next: JsonObject = {
      ...object,
      metadata: { ...objectAt(object, 'metadata') },
      status: cloneJson(objectAt(object, 'status') ?? {}),
    };
    this.#apply(next, wanted);
    writer.track(object, next);
    this.#begin(crd, wanted);
    const settled = async (): Promise<void> => {
      try {
        await lister.fresh();
      } finally {
        this.#end(name);
      }
    };
    // A stopped lister reports no outcome; then nothing depends on it.
    return { object: next, settled: () => void settled().catch(() => undefined) };
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  async #sync(name: string): Promise<void> {
    const crd = this.#options.lister.get(name);
    if (crd === undefined) return;
    const wanted = this.#decide(crd);
    if (wanted === undefined) return;
    const { lister, writer } = this.#options;
    this.#begin(crd, wanted);
    try {
      await writer.write(crd, (stored) => this.#apply(stored, wanted));
      await lister.fresh();
    } finally {
      this.#end(name);
    }
  }

  /** The names count as taken until the outcome of the write is known. */
  #begin({ name, group }: Crd, { acceptedNames }: WantedStatus): void {
    this.#writing.add(name);
    if (acceptedNames !== undefined) this.#claims.set(name, { group, acceptedNames });
  }

  #end(name: string): void {
    this.#writing.delete(name);
    this.#claim(name, this.#options.lister.get(name));
  }

  /** Definitions that wait for names are processed again if some became free. */
  #claim(name: string, crd: Crd | undefined): void {
    if (!this.#claims.set(name, crd)) return;
    for (const other of this.#unnamed.get(groupOf(name)) ?? []) this.#queue.add(other);
  }

  /** Returns the changes that the status needs, or undefined for none. */
  #decide(crd: Crd): WantedStatus | undefined {
    const set: WantedCondition[] = [];
    const want = (condition: WantedCondition): void => {
      if (!isSameCondition(condition, findCondition(crd, condition.type))) set.push(condition);
    };
    let acceptedNames: CrdNames | undefined;
    let hasNames = isConditionTrue(crd, 'NamesAccepted');
    if (!hasItsNames(crd)) {
      const naming = namingConditions(crd, this.#claims.claimsOn(crd));
      hasNames = naming.namesAccepted.status === 'True';
      if (!sameNames(naming.acceptedNames, crd.acceptedNames)) acceptedNames = naming.acceptedNames;
      want(naming.namesAccepted);
      if (!hasNames) want(naming.established);
    }
    if (hasNames && !isConditionTrue(crd, 'Established')) want(establishedOutcome(this.#hasBadCaBundle(crd)));
    const approval = apiApprovalConformance(crd);
    if (approval !== undefined) want(approval);
    const remove = this.#decideOnSchemas(crd, want);
    if (set.length === 0 && acceptedNames === undefined && !remove) return undefined;
    return { acceptedNames, set, removeNonStructural: remove };
  }

  #hasBadCaBundle({ webhook }: Crd): boolean {
    return webhook !== undefined && webhook.caBundle !== '' && this.#options.caBundle(webhook.caBundle) !== undefined;
  }

  /**
   * Adds the condition NonStructuralSchema if it has to change. Returns true if the present one must be removed. Only
   * definitions that preserve unknown fields can have schemas that are not structural; validation refuses the others.
   */
  #decideOnSchemas(crd: Crd, want: (condition: WantedCondition) => void): boolean {
    const present = findCondition(crd, 'NonStructuralSchema');
    if (!crd.preserveUnknownFields) return present !== undefined;
    if (this.#checked.get(crd.name) === crd.generation && present !== undefined) return false;
    this.#checked.set(crd.name, crd.generation);
    const condition = nonStructuralCondition(crd, this.#options.checks);
    if (condition !== undefined) want(condition);
    return condition === undefined && present !== undefined;
  }

  #apply(object: JsonObject, { acceptedNames, set, removeNonStructural }: WantedStatus): void {
    const now = timestamp(this.#options.clock.now());
    if (acceptedNames !== undefined) ensureObject(object, 'status')['acceptedNames'] = namesObject(acceptedNames);
    for (const condition of set) setCondition(object, condition, now);
    if (removeNonStructural) removeCondition(object, 'NonStructuralSchema');
  }

  #note(group: string, name: string, isUnnamed: boolean): void {
    const unnamed = this.#unnamed.get(group);
    if (isUnnamed) {
      if (unnamed === undefined) this.#unnamed.set(group, new Set([name]));
      else unnamed.add(name);
      return;
    }
    unnamed?.delete(name);
    if (unnamed?.size === 0) this.#unnamed.delete(group);
  }
}

/** The group in `<plural>.<group>`. */
function groupOf(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}

interface WantedStatus {
  readonly acceptedNames: CrdNames | undefined;
  readonly set: readonly WantedCondition[];
  readonly removeNonStructural: boolean;
}

/** Fields in the order of the type, without empty ones. */
function namesObject({ plural, singular, shortNames, kind, listKind, categories }: CrdNames): JsonObject {
  return {
    plural,
    ...(singular === '' ? {} : { singular }),
    ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
    kind,
    ...(listKind === '' ? {} : { listKind }),
    ...(categories.length === 0 ? {} : { categories: [...categories] }),
  };
}
