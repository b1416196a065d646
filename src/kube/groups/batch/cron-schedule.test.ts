import { describe, expect, test } from 'vitest';
import { scheduleProblem } from './cron-schedule.ts';

/** Expected messages are recorded from kube-apiserver. */
describe('a schedule', () => {
  test.each([
    '* * * * *',
    '*/5 * * * *',
    '5/10 * * * *',
    '1-5/2 0,12 1 jan-mar mon-fri',
    '? ? ? ? ?',
    ', * * * *',
    '  * * * * *  ',
    '0 0 31 feb *',
    '@hourly',
    '@midnight',
    '@every 1.5h',
    '@every -5s',
    'TZ=UTC * * * * *',
    'CRON_TZ=Europe/Berlin @daily',
  ])('is %s', (schedule) => {
    expect(scheduleProblem(schedule)).toBeUndefined();
  });

  test.each([
    ['', 'empty spec string'],
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['* * * * * *', 'expected exactly 5 fields, found 6: [* * * * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['* * * * 7', 'end of range (7) above maximum (6): 7'],
    ['5-3 * * * *', 'beginning of range (5) beyond end of range (3): 5-3'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['* * * FOO *', 'failed to parse int from FOO: strconv.Atoi: parsing "FOO": invalid syntax'],
    ['-1 * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
    ['@foo', 'unrecognized descriptor: @foo'],
    ['@every x', 'failed to parse duration @every x: time: invalid duration "x"'],
    ['TZ=Nope * * * * *', 'provided bad location Nope: unknown time zone Nope'],
    ['TZ=../x * * * * *', 'provided bad location ../x: time: invalid location name'],
    ['TZ=UTC', 'invalid schedule format: runtime error: slice bounds out of range [:-1]'],
  ])('is not %s', (schedule, problem) => {
    expect(scheduleProblem(schedule)).toBe(problem);
  });
});
