/** The 406 Status for an object that does not have the requested form, and the reference's names of its types. */
import type { Status } from '../../../apimachinery/status/status.ts';
import type { VersionDefinition } from '../../resource/version-definition.ts';

/** Returns the reference's package of internal types: the first label of the group. */
export function hubPackage(group: string): string {
  return group === '' ? 'core' : (group.split('.')[0] as string);
}

export function notAcceptableForm(form: string, what: 'a list' | 'not a list', version: VersionDefinition): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `you requested ${form}, but the requested object is ${what} (*${typeName(version, what === 'a list')})`,
    reason: 'NotAcceptable',
    code: 406,
  };
}

function typeName({ group, kind, listKind, unstructured }: VersionDefinition, isList: boolean): string {
  if (unstructured === true) return isList ? 'unstructured.UnstructuredList' : 'unstructured.Unstructured';
  return `${hubPackage(group)}.${isList ? listKind : kind}`;
}
