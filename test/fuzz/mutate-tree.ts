/**
 * The mutation of JSON documents: parts are exchanged, removed and moved, so that most results are still meaningful.
 */
import { cloneJson, isJsonObject, type JsonObject, type JsonValue, setField } from '../../src/base/json-value.ts';
import { createRandom, type Random } from './random.ts';

/** The same bytes give the same numbers. */
export function randomOf(bytes: Uint8Array): Random {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return createRandom(hash);
}

interface Place {
  readonly holder: JsonObject | JsonValue[];
  readonly key: string | number;
}

function placesOf(root: JsonValue): Place[] {
  const places: Place[] = [];
  const visit = (value: JsonValue): void => {
    if (Array.isArray(value)) value.forEach((_, key) => void places.push({ holder: value, key }));
    else if (isJsonObject(value)) for (const key of Object.keys(value)) places.push({ holder: value, key });
    for (const part of Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : []) visit(part);
  };
  visit(root);
  return places;
}

function at({ holder, key }: Place): JsonValue {
  return (holder as Record<string | number, JsonValue>)[key] as JsonValue;
}

function put({ holder, key }: Place, value: JsonValue): void {
  if (Array.isArray(holder)) holder[key as number] = value;
  else setField(holder, key as string, value);
}

/** Returns a changed copy. `fields` may be added to any object, `values` may replace any value. */
export function mutateTree(
  root: JsonObject,
  random: Random,
  fields: readonly (readonly [name: string, value: JsonValue])[],
  values: readonly JsonValue[],
): JsonObject {
  const copy = cloneJson(root);
  for (let left = 1 + random.int(4); left > 0; left--) {
    const places = placesOf(copy);
    if (places.length === 0) return copy;
    const place = random.pick(places);
    switch (random.int(4)) {
      case 0:
        if (Array.isArray(place.holder)) place.holder.splice(place.key as number, 1);
        else delete place.holder[place.key];
        break;
      case 1:
        put(place, cloneJson(random.pick(values)));
        break;
      case 2:
        put(place, cloneJson(at(random.pick(places))));
        break;
      default: {
        const [name, value] = random.pick(fields);
        const holder = at(place);
        if (isJsonObject(holder)) setField(holder, name, cloneJson(value));
      }
    }
  }
  return copy;
}
