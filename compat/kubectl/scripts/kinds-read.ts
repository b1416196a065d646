/** get, get -o wide, describe and explain of every built-in kind, with the objects of compat/kinds. */
import type { JsonDict } from '../../crds/schema.ts';
import { SUBJECTS } from '../../kinds/objects.ts';
import { nameOf, objectOf, type Subject } from '../../kinds/subject.ts';
import { $, type Script, type Step } from '../script.ts';
import { structure } from '../views.ts';

/** They have another namespace in their body, or affect other scripts. */
const LEFT_OUT = ['events', 'servicecidrs', 'apiservices', 'namespaces', 'limitranges', 'resourcequotas'];

const STABLE = SUBJECTS.filter(({ optional }) => optional !== true);
const STORED = STABLE.filter(({ isReview, plural }) => isReview !== true && !LEFT_OUT.includes(plural));

/** The full name of the resource: `deployments.v1.apps`. */
function resourceOf({ plural, version, group }: Subject): string {
  return group === '' ? plural : `${plural}.${version}.${group}`;
}

function namesOf(subject: Subject): string[] {
  return subject.variants.map((variant) => String((objectOf(subject, variant)['metadata'] as JsonDict)['name']));
}

function stepsOf(subject: Subject): Step[] {
  const resource = resourceOf(subject);
  const names = namesOf(subject).join(' ');
  const statuses = subject.variants.filter(({ status }) => status !== undefined);
  return [
    $(`create -f ${fileOf(subject)}`),
    ...statuses.map(({ name }) =>
      $(`patch ${resource} ${name} --subresource=status --type=merge --patch-file=${fileOf(subject)}-${name}.json`),
    ),
    $(`get ${resource} ${names} -o wide --show-labels`),
    $(`describe ${resource} ${names}`),
  ];
}

function fileOf(subject: Subject): string {
  return `${nameOf(subject).replaceAll('/', '-')}.json`;
}

function filesOf(subject: Subject): [string, string][] {
  const items = subject.variants.map((variant) => objectOf(subject, variant));
  return [
    [fileOf(subject), JSON.stringify({ apiVersion: 'v1', kind: 'List', items })],
    ...subject.variants.map(({ name, status }): [string, string] => [
      `${fileOf(subject)}-${name}.json`,
      JSON.stringify({ status: status ?? {} }),
    ]),
  ];
}

export const kindsRead: Script = {
  name: 'kinds-read',
  files: Object.fromEntries(STORED.flatMap(filesOf)),
  steps: STORED.flatMap(stepsOf),
};

export const kindsExplain: Script = {
  name: 'kinds-explain',
  steps: STABLE.flatMap((subject) => {
    const { plural, group, version } = subject;
    const api = group === '' ? version : `${group}/${version}`;
    return ['plaintext', 'plaintext-openapiv2'].map((output) =>
      $(`explain ${plural} --api-version=${api} --recursive --output=${output}`, { view: structure }),
    );
  }),
};
