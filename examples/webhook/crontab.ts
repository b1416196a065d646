// The two versions of a custom resource. v1 has one text, v2 has fields: `*/5 *` is minute and hour.
import type { Kind } from 'keelson/client';
import { converting, spoke } from 'keelson/webhook';

export interface CronTabV1 {
  spec: { cron: string };
}

export interface CronTabV2 {
  spec: { minute: string; hour: string };
}

const names = { group: 'stable.example.com', kind: 'CronTab', plural: 'crontabs', scope: 'Namespaced' } as const;
export const CronTabV1: Kind<CronTabV1, 'Namespaced'> = { ...names, version: 'v1' };
export const CronTabV2: Kind<CronTabV2, 'Namespaced'> = { ...names, version: 'v2' };

export const convertCronTabs = converting(
  CronTabV2,
  spoke(CronTabV1, {
    toHub: ({ spec }) => {
      const [minute = '*', hour = '*'] = spec.cron.split(' ');
      return { spec: { minute, hour } };
    },
    fromHub: ({ spec }) => ({ spec: { cron: `${spec.minute} ${spec.hour}` } }),
  }),
);
