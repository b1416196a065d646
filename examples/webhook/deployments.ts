// Rules for Deployments: every container requests CPU, and images come from one registry.
import { Deployment } from 'keelson/kinds/apps/v1';
import { denied, draft, mutating, type Problem, validating } from 'keelson/webhook';

const REGISTRY = 'registry.example.com/';

export const requestCpu = mutating(Deployment, ({ object }) => {
  const deployment = draft(object);
  for (const container of deployment.spec?.template.spec?.containers ?? [])
    container.resources = { ...container.resources, requests: { cpu: '100m', ...container.resources?.requests } };
  return deployment;
});

export const checkDeployment = validating(
  Deployment,
  ({ object, operation, user, warn, annotate }) => {
    if (operation === 'DELETE') {
      if (object.metadata?.labels?.['keep'] === 'true') throw denied(`${user.name} may not delete what is to be kept`);
      return [];
    }
    const problems: Problem[] = [];
    for (const [i, { image = '' }] of (object.spec?.template.spec?.containers ?? []).entries()) {
      const field = `spec.template.spec.containers[${i}].image`;
      if (!image.startsWith(REGISTRY)) problems.push({ field, message: `must begin with ${REGISTRY}` });
      if (image.endsWith(':latest')) warn(`${field}: the tag latest changes without notice`);
    }
    annotate('images', problems.length === 0 ? 'trusted' : 'untrusted');
    return problems;
  },
  { operations: ['CREATE', 'UPDATE', 'DELETE'] },
);
