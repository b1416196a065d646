import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { parse, strategy, type TestHost, testHost, thing, thingDefinition } from '../registry/thing.fixtures.ts';
import { openResource, type StoredResource } from '../resource/open-resource.ts';
import type { StoredDefinition } from '../resource/resource-definition.ts';
import { updateSubresource } from '../resource/update-subresource.ts';
import { OwnWriter } from './own-writer.ts';

const A = { namespace: 'ns', name: 'a' };
const SPEC = { spec: { color: 'blue' } };
const NOW = '1970-01-01T00:00:00Z';

function opened(changes: Partial<StoredDefinition> = {}): { resource: StoredResource; test: TestHost } {
  const test = testHost();
  const definition = thingDefinition({ subresources: [updateSubresource('status', strategy)], ...changes });
  const resource = openResource(definition, test.host);
  onTestFinished(() => resource.stop());
  return { resource, test };
}

function named(more: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return thing('a', more, { namespace: 'ns', ...metadata });
}

function entry(manager: string, fieldsV1: JsonObject, more: JsonObject = {}): JsonObject {
  const common = { apiVersion: 'example.test/v1', time: expect.any(String) as string, fieldsType: 'FieldsV1' };
  return { manager, operation: 'Update', ...common, fieldsV1, ...more };
}

function paint(color: string): (object: JsonObject) => void {
  return (object) => {
    object['spec'] = { color };
  };
}

const SPEC_SET = { 'f:spec': { '.': {}, 'f:color': {} } };

describe('the managed fields of own writes', () => {
  it('belong to kube-apiserver, or to the manager that the write names', async () => {
    const things = new OwnWriter(opened().resource);
    const made = parse(await things.create(named(SPEC)));
    expect(made.metadata.managedFields).toEqual([entry('kube-apiserver', SPEC_SET)]);
    const painted = parse(await things.update(A, paint('red'), { fieldManager: 'painter' }));
    expect(painted.metadata.managedFields).toEqual([
      entry('kube-apiserver', { 'f:spec': {} }),
      entry('painter', { 'f:spec': { 'f:color': {} } }),
    ]);
    const replaced = parse(await things.replace(named({ spec: { color: 'red', size: 1 } })));
    expect(replaced.metadata.managedFields).toEqual([
      entry('kube-apiserver', { 'f:spec': { '.': {}, 'f:size': {} } }),
      entry('painter', { 'f:spec': { 'f:color': {} } }),
    ]);
  });

  it('stay as they are for writes without a manager', async () => {
    const things = new OwnWriter(opened().resource);
    const made = parse(await things.create(named(SPEC)));
    const painted = parse(await things.update(A, paint('red'), { fieldManager: null }));
    expect(painted.spec).toEqual({ color: 'red' });
    expect(painted.metadata.managedFields).toEqual(made.metadata.managedFields);
  });

  it('are those of the object that was sent, for creates that add fields', async () => {
    const things = new OwnWriter(opened().resource);
    const allocated = named({ spec: { color: 'blue', port: 80 } });
    const made = parse(await things.create(allocated, { sent: named(SPEC) }));
    expect(made.spec).toEqual({ color: 'blue', port: 80 });
    expect(made.metadata.managedFields).toEqual([entry('kube-apiserver', SPEC_SET)]);
  });

  it('name the status for updates of it', async () => {
    const { resource } = opened();
    await new OwnWriter(resource).create(named(SPEC));
    const ready = (object: JsonObject): void => {
      object['status'] = { ready: true };
    };
    const statusEntry = entry('kube-apiserver', { 'f:status': { '.': {}, 'f:ready': {} } }, { subresource: 'status' });
    const updated = parse(await new OwnWriter(resource).updateStatus(A, ready));
    expect(updated.metadata.managedFields).toContainEqual(statusEntry);

    const other = opened().resource;
    await new OwnWriter(other).create(named(SPEC));
    const tracked = parse(await new OwnWriter(other, { tracksUpdatesAs: 'status' }).update(A, ready));
    expect(tracked.metadata.managedFields).toContainEqual(statusEntry);
  });

  it('are those of an apply for a status that is applied, also by force and on create', async () => {
    const { resource } = opened();
    const things = new OwnWriter(resource, { setsStatus: true });
    const made = parse(await things.create(named({ status: { ready: false } }), { statusManager: 'loop' }));
    const applied = { operation: 'Apply', subresource: 'status' };
    const fields = { 'f:status': { '.': {}, 'f:ready': {} } };
    expect(made.metadata.managedFields).toContainEqual(entry('loop', fields, applied));
    const status = { ready: true };
    const again = parse(await things.applyStatus(A, status, { fieldManager: 'other' }));
    expect(again.status).toEqual(status);
    expect(again.metadata.managedFields).toEqual([
      entry('loop', { 'f:status': {} }, applied),
      entry('other', fields, applied),
    ]);
  });

  it('are left out and reported if they cannot be computed', async () => {
    const { resource, test } = opened({
      convert: () => {
        throw new Error('no way to v2');
      },
    });
    const things = new OwnWriter(resource);
    const stored = { manager: 'x', operation: 'Update', apiVersion: 'example.test/v2', time: NOW };
    const entries = [{ ...stored, fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': { 'f:hue': {} } } }];
    await things.create(named(SPEC, { managedFields: entries }), { fieldManager: null });
    const painted = parse(await things.update(A, paint('red')));
    expect(painted.spec).toEqual({ color: 'red' });
    expect(painted.metadata).not.toHaveProperty('managedFields');
    expect(test.untracked).toEqual(['things a: no way to v2']);
    expect(test.troubles).toEqual([]);
  });
});
