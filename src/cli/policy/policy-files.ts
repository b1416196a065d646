/** Loads manifests of policies, and of the objects that policies need, into a sandbox. */
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import type { StatusError } from '../../apimachinery/status/status.ts';
import type { Finding } from '../../scaffold/finding.ts';
import type { Manifest } from '../../scaffold/manifest-files.ts';
import { stepsIn } from '../../scaffold/path-steps.ts';
import type { PolicySandbox } from './policy-sandbox.ts';

/**
 * The order in which kinds are created. Kinds that are not listed, such as parameters and roles, have the rank OTHERS.
 */
const ORDER: Readonly<Record<string, number>> = {
  Namespace: 0,
  CustomResourceDefinition: 1,
  ValidatingAdmissionPolicy: 3,
  MutatingAdmissionPolicy: 3,
  ValidatingAdmissionPolicyBinding: 4,
  MutatingAdmissionPolicyBinding: 4,
  ValidatingWebhookConfiguration: 4,
  MutatingWebhookConfiguration: 4,
};
const OTHERS = 2;

/** Reports whether a manifest is a policy, a binding or a webhook configuration. */
export function isConfiguration({ object }: Manifest): boolean {
  return (ORDER[textAt(object, 'kind')] ?? OTHERS) > OTHERS;
}

/** Adds the objects to the sandbox. Returns the findings of the objects that the server refuses. */
export async function loadManifests(sandbox: PolicySandbox, manifests: readonly Manifest[]): Promise<Finding[]> {
  const rank = ({ object }: Manifest): number => ORDER[textAt(object, 'kind')] ?? OTHERS;
  const findings: Finding[] = [];
  for (const manifest of [...manifests].sort((a, b) => rank(a) - rank(b))) {
    const refused = await sandbox.add(manifest.object);
    if (refused !== undefined) findings.push(...refusalFindings(manifest, refused, 'definition'));
  }
  return findings;
}

/** Returns one finding for each cause of the error, at the place of its field. */
export function refusalFindings(
  manifest: Manifest,
  { status }: StatusError,
  kind: 'definition' | 'rejected',
): readonly Finding[] {
  const causes = status.details?.causes ?? [];
  const at = (field: string, message: string): Finding => ({
    kind,
    file: manifest.file,
    place: manifest.place(stepsIn(manifest.object, field)),
    message,
  });
  if (causes.length === 0) return [at('', status.message ?? '')];
  return causes.map(({ field = '', message = '' }) => at(field, field === '' ? message : `${field}: ${message}`));
}
