/**
 * Replays recorded calls of the updater. Conversions are answered with what the reference's test converters answered.
 */
import type { Converter } from '../../src/apimachinery/apply/converter.ts';
import type { Managers } from '../../src/apimachinery/apply/managers.ts';
import type { MergeType } from '../../src/apimachinery/apply/merge-type.ts';
import type { TypedValue } from '../../src/apimachinery/apply/typed-value.ts';
import { Updater } from '../../src/apimachinery/apply/updater.ts';
import { formatPath } from '../../src/apimachinery/field-set/path-element.ts';
import { excludeFilter, type SetFilter } from '../../src/apimachinery/field-set/set-filter.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import { type Difference, parseSet, patternFilter, type Schemas, sameSet, sameValue, typeIn } from './replay.ts';

export async function replayUpdater(call: JsonObject, schemas: Schemas): Promise<Difference> {
  const updater = new Updater({ converter: converterOf(call, schemas), filters: filtersOf(call) });
  const request = {
    live: typedIn(call, 'live', schemas),
    apiVersion: call['version'] as string,
    managers: managersIn(call, 'managers'),
    manager: call['manager'] as string,
  };
  const isRefused = call['error'] !== null && call['conflicts'] === undefined;
  try {
    if (call['op'] === 'update') {
      const managers = await updater.update({ ...request, next: typedIn(call, 'next', schemas) });
      return isRefused ? `only the reference refuses: ${call['error']}` : sameManagers(managers, call);
    }
    const config = typedIn(call, 'config', schemas);
    const outcome = await updater.apply({ ...request, config, force: call['force'] === true });
    if (isRefused) return `only the reference refuses: ${call['error']}`;
    if (outcome.kind === 'conflicts') {
      const ours = outcome.conflicts.map(({ manager, path }) => `${manager}${formatPath(path)}`).sort();
      return sameValue(ours, [...((call['conflicts'] ?? []) as string[])].sort());
    }
    if (call['conflicts'] !== undefined) return `only the reference finds conflicts: ${writeJson(call['conflicts'])}`;
    // The reference may be asked to return an object that did not change.
    const object = outcome.object ?? (call['returnInputOnNoop'] === true ? request.live : undefined);
    const theirs = call['object'] as JsonObject | undefined;
    if ((object === undefined) !== (theirs === undefined))
      return object === undefined ? 'only we change nothing' : 'only we change something';
    return sameManagers(outcome.managers, call) ?? sameValue(object?.value ?? null, theirs?.['value']);
  } catch (error) {
    return isRefused ? undefined : String(error);
  }
}

function typedIn(call: JsonObject, name: string, schemas: Schemas): TypedValue {
  const holder = call[name] as JsonObject;
  return { value: holder['value'] as JsonValue, type: typeIn(holder, schemas) as MergeType };
}

function managersIn(call: JsonObject, name: string): Managers {
  const managers: Managers = new Map();
  for (const [manager, versioned] of Object.entries(call[name] as Record<string, JsonObject>))
    managers.set(manager, {
      set: parseSet(versioned['set'] as string),
      apiVersion: versioned['version'] as string,
      applied: versioned['applied'] === true,
    });
  return managers;
}

function sameManagers(ours: Managers, call: JsonObject): Difference {
  const theirs = call['out'] as Record<string, JsonObject>;
  const names = Object.keys(theirs).sort();
  if (!equalJson([...ours.keys()].sort(), names)) return `managers: ours ${[...ours.keys()]}, theirs ${names}`;
  for (const [manager, { set, apiVersion, applied }] of ours) {
    const other = theirs[manager] as JsonObject;
    const found =
      sameSet(set, other['set']) ?? sameValue(apiVersion, other['version']) ?? sameValue(applied, other['applied']);
    if (found !== undefined) return `${manager}: ${found}`;
  }
  return undefined;
}

function filtersOf(call: JsonObject): ReadonlyMap<string, SetFilter> {
  return new Map(
    Object.entries(call['filters'] as JsonObject).map(([version, filter]) => [
      version,
      typeof filter === 'string' ? excludeFilter(parseSet(filter)) : patternFilter(filter as JsonValue[]),
    ]),
  );
}

function converterOf(call: JsonObject, schemas: Schemas): Converter {
  const calls = call['calls'] as JsonObject[];
  const live = call['live'] as JsonObject;
  const find = (value: JsonValue, version: string): JsonObject | undefined =>
    calls.find((item) => item['version'] === version && equalJson(item['value'] as JsonValue, value));
  return {
    typeAt: (version) => {
      const found = find(live['value'] as JsonValue, version) ?? calls.find((item) => item['version'] === version);
      if (found === undefined) return version === call['version'] ? (typeIn(live, schemas) as MergeType) : undefined;
      if (found['missing'] === true) return undefined;
      const out = found['out'] as JsonObject | undefined;
      return typeIn(out ?? live, schemas);
    },
    convert: ({ value }, version) => {
      const found = find(value, version);
      if (found === undefined) throw new Error(`the reference converts no ${writeJson(value)} to ${version}`);
      const out = found['out'] as JsonObject | undefined;
      if (out === undefined) throw new Error('the reference does not convert it either');
      return { value: out['value'] as JsonValue, type: typeIn(out, schemas) as MergeType };
    },
  };
}
