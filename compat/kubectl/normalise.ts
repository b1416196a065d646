/**
 * The replacement of parts of kubectl's output that may differ between two correct servers: addresses, ages, times,
 * uids, revisions, widths of columns.
 */
import { createNormaliser } from '../diff/normalise.ts';

const AGE = /(?<![\w.:-])\d+(?:y\d+d|d\d+h|h\d+m|m\d+s|[smhdy])(?![\w:-])/g;
const KLOG = /^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /gm;
/**
 * kubectl's reflector logs an error if its time is up between two watches, which is a matter of chance. The last line
 * of the command says that the time is up.
 */
const OUT_OF_TIME = /^E <source>\] "Failed to watch" err="context (?:deadline exceeded|canceled)".*\n?/gm;
/** Addresses in the Service range that both servers are started with, and node ports. */
const CLUSTER_IP = /\b10\.0\.0\.\d+(?![\d/])/g;
const NODE_PORT = /(?<![\w.-])3[0-2]\d{3}(?![\w.-])/g;

export interface TextNormaliser {
  text(text: string): string;
}

/** Makes a normaliser for one server and script. `folder` is the working folder, whose path is replaced too. */
export function createTextNormaliser(url: string, folder: string, home: string): TextNormaliser {
  const inner = createNormaliser(url, Date.now());
  return {
    text(original) {
      return inner
        .text(original)
        .replaceAll(folder, '<folder>')
        .replaceAll(home, '<home>')
        .replace(KLOG, '$1 ')
        .replace(/[\w-]+\.go:\d+\]/g, '<source>]')
        .replace(OUT_OF_TIME, '')
        .replace(/milliseconds=\d+/g, 'milliseconds=<n>')
        .replace(/\/(?:tmp|var\/tmp)\/[\w.-]+(?:\/[\w.-]+)*/g, '<temporary>')
        .replace(/("?resourceVersion"?: ?"?|\bresource version |\bResource Version: +)\d+/g, '$1<revision>')
        .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \+0000/g, '<time>')
        .replace(/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} 20\d\d \d\d:\d\d:\d\d \+0000/g, '<time>')
        .replace(CLUSTER_IP, '<cluster IP>')
        .replace(NODE_PORT, '<node port>')
        .replace(AGE, '<age>')
        .split('\n')
        .map((line) => line.replace(/(?<=\S) {2,}/g, '  ').trimEnd())
        .join('\n');
    },
  };
}
