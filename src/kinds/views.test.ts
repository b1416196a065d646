import { describe, expect, it } from 'vitest';
import { readField, readStruct, readStructLines } from '../apimachinery/facts/package-facts.ts';
import { SCALE_FACTS } from '../apimachinery/facts/scale-facts.ts';
import { applyStrategicMergePatch } from '../apimachinery/patch/strategic-merge.ts';
import { planOf } from '../apimachinery/protobuf/plan.ts';
import type { FieldView, ListView, MapView, ScalarView, StructView } from '../apimachinery/type-view.ts';
import { BugError } from '../base/errors.ts';
import { kinds, packages } from './facts/all.ts';
import { autoscalingV1 } from './facts/autoscaling-v1.ts';
import { kindView, typeName, viewOfTypeName } from './views.ts';

function field(view: StructView, ...path: string[]): FieldView {
  const [name = '', ...rest] = path;
  const found = view.field(name);
  if (found === undefined) throw new Error(`${view.name} has no ${name}`);
  return rest.length === 0 ? found : field(found.type as StructView, ...rest);
}

const configMap = (): StructView => kindView('', 'v1', 'ConfigMap');
const scalarOf = (type: unknown): string => (type as ScalarView).scalar;

describe('views of built-in kinds', () => {
  it('know the types of fields', () => {
    expect(field(configMap(), 'data').type).toEqual({
      kind: 'map',
      atomic: false,
      values: { kind: 'scalar', scalar: 'string' },
    });
    expect(scalarOf((field(kindView('', 'v1', 'Secret'), 'data').type as MapView).values)).toBe('bytes');
    const event = kindView('', 'v1', 'Event');
    expect(scalarOf(field(event, 'firstTimestamp').type)).toBe('time');
    expect(scalarOf(field(event, 'eventTime').type)).toBe('micro-time');
    expect(scalarOf(field(event, 'count').type)).toBe('int32');
    expect(field(configMap(), 'metadata', 'managedFields').type).toMatchObject({ kind: 'list', listType: 'atomic' });
    const entry = (field(configMap(), 'metadata', 'managedFields').type as ListView).items as StructView;
    expect(field(entry, 'fieldsV1').type).toEqual({ kind: 'any', raw: 'fields-v1' });
  });

  it('list fields in the order of Go, type fields first', () => {
    expect(Array.from(configMap().fields(), ({ name }) => name)).toEqual([
      'kind',
      'apiVersion',
      'metadata',
      'immutable',
      'data',
      'binaryData',
    ]);
  });

  it('know how protobuf and JSON carry a field', () => {
    expect(field(configMap(), 'immutable').wire).toEqual({
      number: 4,
      pointer: true,
      omitEmpty: true,
      omitZero: false,
      inline: [],
      wrapped: false,
    });
    expect(field(configMap(), 'kind').wire).toBeUndefined();
    expect(field(configMap(), 'metadata', 'creationTimestamp').wire).toMatchObject({ number: 8, omitZero: true });
    expect(field(kindView('rbac.authorization.k8s.io', 'v1', 'Role'), 'rules').wire).toMatchObject({
      number: 2,
      omitEmpty: false,
    });
    const resources = field(kindView('', 'v1', 'APIResourceList'), 'resources').type as ListView;
    expect(field(resources.items as StructView, 'verbs').wire).toMatchObject({ number: 4, wrapped: true });
  });

  it('know how patches and apply merge a field', () => {
    const owners = field(configMap(), 'metadata', 'ownerReferences');
    expect(owners).toMatchObject({ patchStrategies: ['merge'], patchMergeKey: 'uid' });
    expect(owners.type).toMatchObject({ kind: 'list', listType: 'map', mapKeys: ['uid'], declared: true });
    expect(field(configMap(), 'metadata', 'finalizers').type).toMatchObject({ listType: 'set', declared: true });
    const account = kindView('', 'v1', 'ServiceAccount');
    expect(field(account, 'secrets').type).toMatchObject({ listType: 'map', mapKeys: ['name'] });
    expect(field(account, 'imagePullSecrets').type).toMatchObject({ listType: 'atomic', declared: true });
    expect(field(kindView('', 'v1', 'ConfigMapList'), 'items').type).not.toHaveProperty('declared');
    expect((field(account, 'secrets').type as ListView).items).toMatchObject({ atomic: true });
    expect(configMap().atomic).toBe(false);
  });

  it('know what OpenAPI adds: required, defaults, enums', () => {
    const namespace = kindView('', 'v1', 'Namespace');
    expect(field(namespace, 'status', 'phase').type).toEqual({
      kind: 'scalar',
      scalar: 'string',
      enum: ['Active', 'Terminating'],
    });
    expect(field(namespace, 'spec')).toMatchObject({ required: false, defaultValue: {} });
    expect(field(kindView('', 'v1', 'Event'), 'involvedObject').required).toBe(true);
    expect(field(kindView('rbac.authorization.k8s.io', 'v1', 'RoleBinding'), 'roleRef', 'apiGroup')).toMatchObject({
      required: false,
      defaultValue: '',
    });
  });

  it('know Go names for messages', () => {
    expect(configMap().name).toBe('v1.ConfigMap');
    expect(field(configMap(), 'metadata', 'uid').goType).toBe('types.UID');
    expect(field(configMap(), 'metadata', 'name')).not.toHaveProperty('goType');
    expect(field(configMap(), 'kind').goInline).toEqual(['TypeMeta']);
    expect(field(kindView('authorization.k8s.io', 'v1', 'SubjectAccessReview'), 'spec', 'extra').goType).toBe(
      'map[string]v1.ExtraValue',
    );
  });

  it('are called by their bare names in messages of strategic merge', () => {
    const unknown = { bogus: {} };
    expect(applyStrategicMergePatch(unknown, unknown, configMap())).toMatchObject({
      ok: false,
      error: { message: 'unable to find api field in struct ConfigMap for the json field "bogus"' },
    });
  });

  it('are the same view wherever a type is reached', () => {
    expect(configMap()).toBe(configMap());
    const meta = field(configMap(), 'metadata').type;
    expect(field(kindView('coordination.k8s.io', 'v1', 'Lease'), 'metadata').type).toBe(meta);
    expect((field(kindView('', 'v1', 'ConfigMapList'), 'items').type as ListView).items).toBe(configMap());
  });

  it('have the names of OpenAPI', () => {
    expect(typeName(configMap())).toBe('io.k8s.api.core.v1.ConfigMap');
    const meta = field(configMap(), 'metadata').type as StructView;
    expect(typeName(meta)).toBe('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
    expect(viewOfTypeName('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta')).toBe(meta);
    expect(viewOfTypeName('io.k8s.apimachinery.pkg.version.Info').field('gitVersion')?.required).toBe(true);
    expect(typeName({ ...configMap() })).toBeUndefined();
  });

  it('tell Events of two groups apart, and find what all groups share', () => {
    expect(typeName(kindView('events.k8s.io', 'v1', 'Event'))).toBe('io.k8s.api.events.v1.Event');
    expect(typeName(kindView('', 'v1', 'Status'))).toBe('io.k8s.apimachinery.pkg.apis.meta.v1.Status');
    expect(typeName(kindView('meta.k8s.io', 'v1', 'DeleteOptions'))).toBe(
      'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
    );
  });

  it('do not exist for kinds without facts', () => {
    expect(() => kindView('', 'v2', 'ConfigMap')).toThrow(BugError);
    expect(() => kindView('', 'v1', 'ObjectMeta')).toThrow('no facts of kind ObjectMeta in v1');
    expect(() => viewOfTypeName('io.k8s.api.core.v1.Nothing')).toThrow(BugError);
    expect(() => viewOfTypeName('Nothing')).toThrow(BugError);
  });

  it('say where apply merges the fields of a struct that it otherwise takes as one value', () => {
    const spec = kindView('', 'v1', 'PersistentVolume').field('spec')?.type as StructView;
    expect((field(spec, 'claimRef').type as StructView).atomic).toBe(false);
    expect((field(kindView('', 'v1', 'Event'), 'involvedObject').type as StructView).atomic).toBe(true);
    const status = kindView('', 'v1', 'PersistentVolumeClaim').field('status')?.type as StructView;
    expect(field(status, 'allocatedResourceStatuses').type).toMatchObject({ atomic: false, declared: true });
  });

  it('can all be read to the bottom, and planned for protobuf', () => {
    const seen = new Set<unknown>();
    const visit = (type: unknown): void => {
      const view = type as StructView | ListView | MapView | ScalarView;
      if (seen.has(view)) return;
      seen.add(view);
      if (view.kind === 'list') visit(view.items);
      else if (view.kind === 'map') visit(view.values);
      else if (view.kind === 'struct') {
        for (const { name, type: inner, defaultValue } of view.fields()) {
          expect(name).not.toBe('');
          expect(inner).toBeDefined();
          expect(defaultValue).not.toBeNull();
          visit(inner);
        }
      }
    };
    for (const [group, version, , names] of kinds) {
      for (const kind of names.split(' ')) {
        visit(kindView(group, version, kind));
        if (kind !== 'Table') expect(planOf(kindView(group, version, kind)).fields.length).toBeGreaterThan(0);
      }
    }
    const count = packages.reduce((sum, facts) => sum + readStructLines(facts.structs).size, 0);
    expect([...seen].filter((view) => (view as StructView).kind === 'struct').length).toBeGreaterThan(count / 2);
  });
});

describe('the form of facts', () => {
  it('holds everything a line can say', () => {
    expect(
      readField('a {[core-v1:B 2.7*?z!~ go=map[string][]v1.B in=C.D patch=merge,retainKeys key=k list=x,y ={"z":" ="}'),
    ).toEqual({
      name: 'a',
      type: '{[core-v1:B',
      numbers: [2, 7],
      flags: '*?z!~',
      goType: 'map[string][]v1.B',
      goInline: ['C', 'D'],
      patchStrategies: ['merge', 'retainKeys'],
      patchMergeKey: 'k',
      list: 'x,y',
      enum: undefined,
      format: undefined,
      defaultValue: { z: ' =' },
    });
    expect(readField('a string - enum=A|B^C format=f')).toMatchObject({
      numbers: undefined,
      flags: '',
      enum: ['A', 'B C'],
      format: 'f',
      defaultValue: undefined,
      list: undefined,
    });
  });

  it('marks structs that apply takes as one value, and their extensions', () => {
    const lines = readStructLines('\nA ~ ={"x-y":[1]};b string 1\nC\nD @;e string 2');
    expect([...lines.keys()]).toEqual(['A', 'C', 'D']);
    const structs = [...lines.values()].map(readStruct);
    expect(structs).toEqual([
      { name: 'A', atomic: true, extensions: { 'x-y': [1] }, fields: ['b string 1'] },
      { name: 'C', atomic: false, extensions: undefined, fields: [] },
      {
        name: 'D',
        atomic: false,
        extensions: undefined,
        fields: ['kind string -? in=TypeMeta', 'apiVersion string -? in=TypeMeta', 'e string 2'],
      },
    ]);
  });
});

describe('the facts of Scale for servers without built-in kinds', () => {
  it('are those of its package', () => {
    for (const line of SCALE_FACTS.structs.trim().split('\n')) expect(autoscalingV1.structs).toContain(line);
    const { id, goPackage, modelPrefix } = autoscalingV1;
    expect(SCALE_FACTS).toMatchObject({ id, goPackage, modelPrefix });
  });
});
