import { describe, expect, test } from 'vitest';
import { timeZoneProblem } from './time-zone.ts';

describe('a time zone', () => {
  test.each(['UTC', 'Local', '', 'Europe/Berlin', 'Etc/GMT+5', 'US/Pacific', 'EST5EDT'])('is %s', (name) => {
    expect(timeZoneProblem(name)).toBeUndefined();
  });

  test.each([
    ['Nope', 'unknown time zone Nope'],
    ['europe/berlin', 'unknown time zone europe/berlin'],
    ['+01:00', 'unknown time zone +01:00'],
    ['../x', 'time: invalid location name'],
    ['/etc/localtime', 'time: invalid location name'],
  ])('is not %s', (name, problem) => {
    expect(timeZoneProblem(name)).toBe(problem);
  });
});
