import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { goValue } from '../apimachinery/go-shape/go-value.ts';
import { type PackageShapes, type StructShape, structShape } from '../apimachinery/go-shape/package-shapes.ts';
import { apiextensionsShapes } from './shapes/apiextensions.ts';
import { appsShapes } from './shapes/apps.ts';
import { coreShapes } from './shapes/core.ts';
import { storageShapes } from './shapes/storage.ts';

const FOLDER = new URL('./shapes/', import.meta.url);

async function packages(): Promise<PackageShapes[]> {
  const modules = readdirSync(FOLDER).map((file) => import(new URL(file, FOLDER).href) as Promise<object>);
  return (await Promise.all(modules)).flatMap((module) => Object.values(module) as PackageShapes[]);
}

/** Adds a struct and all structs that its fields lead to. */
function reach(struct: StructShape, seen: Set<StructShape>): void {
  if (seen.has(struct)) return;
  seen.add(struct);
  for (const field of struct.fields) if (field.struct !== undefined) reach(field.struct(), seen);
}

describe('the generated shapes', () => {
  it('can all be read, and every struct is reached from a root', async () => {
    const all = await packages();
    expect(all.length).toBeGreaterThan(10);
    const reached = new Set<StructShape>();
    for (const shapes of all) for (const root of shapes.roots) reach(structShape(shapes, root), reached);
    const structs = all.flatMap((shapes) =>
      shapes.structs
        .trim()
        .split('\n')
        .map((line) => structShape(shapes, line.split(' ', 1)[0] ?? '')),
    );
    expect(reached.size).toBe(new Set(structs).size);
  });

  it('print a scheduling term as the Go type of kube-apiserver', () => {
    expect(JSON.stringify(goValue(coreShapes, 'NodeSelectorTerm', { matchFields: [{ key: 'k' }] }))).toBe(
      '{"MatchExpressions":null,"MatchFields":[{"Key":"k","Operator":"","Values":null}]}',
    );
  });

  it('have the zero value of the internal type where the versioned type has a pointer', () => {
    expect(goValue(appsShapes, 'DeploymentStrategy', { rollingUpdate: {} })).toEqual({
      Type: '',
      RollingUpdate: { MaxUnavailable: 0, MaxSurge: 0 },
    });
  });

  it('refer to structs of other packages', () => {
    const spec = { source: { inlineVolumeSpec: { iscsi: { chapAuthSession: true } } } };
    const shown = goValue(storageShapes, 'VolumeAttachmentSpec', spec);
    expect(shown).toMatchObject({
      Attacher: '',
      Source: { PersistentVolumeName: null, InlineVolumeSpec: { CephFS: null, ISCSI: { SessionCHAPAuth: true } } },
    });
  });

  it('print the parts of a JSON schema that are a schema or something else', () => {
    const schema = { items: [{ type: 'string' }], additionalProperties: true, dependencies: { b: ['c'], a: {} } };
    const text = JSON.stringify(goValue(apiextensionsShapes, 'JSONSchemaProps', schema));
    const empty = JSON.stringify(goValue(apiextensionsShapes, 'JSONSchemaProps', {}));
    expect(text).toContain('"Items":{"Schema":null,"JSONSchemas":[{"ID":"","Schema":"","Ref":null,');
    expect(text).toContain('"AdditionalProperties":{"Allows":true,"Schema":null}');
    expect(text).toContain(
      `"Dependencies":{"a":{"Schema":${empty},"Property":null},"b":{"Schema":null,"Property":["c"]}}`,
    );
  });
});
