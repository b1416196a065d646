/**
 * The 406 of an object that cannot take the form that was asked for, and how the reference calls the types inside it.
 */
import type { Status } from '../../../apimachinery/status/status.ts';
import type { VersionDefinition } from '../../resource/version-definition.ts';

/** The reference's package of hub types: the first label of the group. */
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
