/**
 * The known differences from the reference. Invariants: each one occurs (the run fails otherwise); each id is in
 * docs/compatibility.md as `**id.**` with its reason.
 */
import type { KnownEntry } from '../common/outcome.ts';
import { UNFIT_ANSWER, UNFIT_CONFIGURATION } from '../common/unfit-configurations.ts';

export interface KnownDifference extends KnownEntry {
  /** Matches `topic / case / METHOD path`. */
  readonly request: RegExp;
  /** Matches `where: reference → candidate`. Default: everything about the request. */
  readonly difference?: RegExp;
}

export const KNOWN: readonly KnownDifference[] = [
  {
    id: 'Apply to the scale of custom resources',
    reason: 'it works here; the reference answers 500',
    request: /^custom apply \/ scale, which the reference refuses \/ (?:PATCH|GET)/,
  },
  {
    id: 'Managers of versions that are gone',
    reason: 'only these managers are forgotten; the reference forgets all, and answers 500 to an apply',
    request: /^custom apply \/ managers of a version that is gone \/ PATCH/,
  },
  {
    ...UNFIT_CONFIGURATION,
    request: /^apply \/ .* \/ PATCH/,
    difference: UNFIT_ANSWER,
  },
  {
    id: 'Strategic merge patch: panics',
    reason: 'the reference panics and drops the connection; we answer 500 with its message for such a patch',
    request: /^patches \/ strategic \/ PATCH/,
    difference: /ECONNRESET|: 0 → 500$|: \(absent\) → (?:application\/json|no-cache, private|max-age=.*)$/,
  },
  {
    id: 'Number literals in messages',
    reason: 'an integer beyond int64 is quoted as a double',
    request: /^leases \/ numbers \/ POST/,
    difference: /cannot unmarshal number 9223372036854775808/,
  },
  {
    id: 'HTTP methods that HTTP/1.1 does not register',
    reason: 'the parser of Node refuses them before a request exists',
    request: /^errors \/ methods \/ FROB/,
  },
  {
    id: 'Deleted namespaces',
    reason: 'a warning says that no loop here empties and removes the namespace',
    request: /DELETE \/api\/v1\/namespaces\/[^/]+$/,
    difference: /^header warning: .* 299 - "the namespace stays Terminating until/,
  },
  {
    id: 'OpenAPI of Namespace delete',
    reason: 'the document says that the answer is a Namespace, which both servers send',
    request: /^openapi \/ /,
    difference: /namespaces\/\{name\}"\]\.delete\.responses/,
  },
  {
    id: 'Warnings of refused patches',
    reason: 'a patch that removes the kind is refused before unknown fields are looked for',
    request: /^patches \/ json \/ PATCH/,
    difference: /unknown field \\"data\\"|warning/,
  },
  {
    id: 'CustomResourceDefinition v1beta1',
    reason: 'it is served in addition to v1, for old manifests',
    request: /^discovery \/ .* \/ (?:GET|DELETE|OPTIONS) \/apis\/?$/,
    difference: /^body\.groups\[\d+\]\.versions\.length/,
  },
  {
    id: 'Storage version of definitions',
    reason: 'we store v1; the reference stores v1beta1, which it no longer serves',
    request: /^definition updates \/ forms and selectors \/ GET \/apis\/apiextensions\.k8s\.io\/v1$/,
    difference: /storageVersionHash/,
  },
  {
    id: 'Expectations of deletes of definitions',
    reason: 'the reference has another message for them; the code and the reason are the same',
    request: /^definition updates \/ deletes \/ DELETE/,
    difference: /^body\.(?:details\.kind|message)/,
  },
  {
    id: 'Methods of custom resources',
    reason: 'HEAD, OPTIONS, and POST to the path of an object are 405 as for every other kind',
    request: /^custom objects \/ create, get, list \/ (?:HEAD|OPTIONS|POST) .*\/writes\/a$/,
  },
  {
    id: 'Custom resources with items',
    reason: 'a list named items makes the reference fail with 500; here it is an ordinary field',
    request: /^custom objects \/ bodies that do not fit \/ POST/,
    difference:
      /is not a list: no Items field|500 → |Status" → "Bodies|"v1" → "bodies|^body\.(?:metadata\.[a-zA-Z]+|items): \(absent\) →|"Failure" → /,
  },
  {
    id: 'Protobuf bodies of custom resources',
    reason: 'the reference offers protobuf and panics on such a body; here it is a 415 that does not offer it',
    request: /^custom objects \/ forms \/ POST/,
    difference:
      /ECONNRESET|: 0 → 415$|: \(absent\) → (?:application\/json|no-cache, private|max-age=.*)$|vnd\.kubernetes\.protobuf" →/,
  },
  {
    id: 'Metadata of one custom resource as a list',
    reason: '406 as for other kinds; the reference fails with 500',
    request: /^custom reads \/ metadata alone \/ GET .*\/partials\/a$/,
  },
  {
    id: 'Watches across changes of definitions',
    reason: 'a watch can start before a change of the definition; the reference drops the history and answers 410',
    request: /^custom reads \/ a change of the storage version \/ GET .*watch=true/,
    difference: /too old resource version/,
  },
  {
    id: 'Scales that cannot be read',
    reason: 'the refusal has the reason; the reference names a Go type that it did not register',
    request: /^custom subresources \/ scale \/ PUT/,
    difference: /^body\.message: "no kind is registered for the type v1\.Scale/,
  },
  {
    id: 'Number literals in messages',
    reason: 'a number beyond double is refused before the kind is known',
    request: /^custom schemas \/ integers at their limits \/ POST/,
    difference: /cannot unmarshal number 1e400/,
  },
  {
    id: 'Field selectors of jobs and resource slices',
    reason: 'a field that is not selectable is refused with the message of all other kinds',
    request: /^kinds \/ (?:jobs|resourceslices) v1 \/ GET/,
    difference: /^body\.message: "field label/,
  },
  {
    id: 'Metadata of DaemonSets alone',
    reason: 'it has the annotation that the whole object has; the reference adds that annotation to whole objects only',
    request: /^kinds \/ daemonsets v1 \/ GET/,
    difference: /annotations: \(absent\) → \{"deprecated\.daemonset\.template\.generation/,
  },
  {
    id: 'OpenAPI of single fields',
    reason:
      'fields without a description in the reference, bytes marked as a list, the order of the media types of logs',
    request: /^openapi \/ /,
    difference:
      /(?:JSONSchemaProps|IngressRule)"\]\.properties\.\w+(?:\["\$ref"\]|\.allOf):|APIServiceSpec"\]\.properties\.caBundle\.x-kubernetes-list-type:|\/log"\]\.get\.produces|v1\.PersistentVolumeClaim"\]\.x-kubernetes-group-version-kind:/,
  },
];
