/**
 * The loop that deletes CertificateSigningRequests that are done: an hour after they were denied, failed or issued, a
 * day after they were created or approved without a result, and when their certificate has expired. Times are those of
 * kubernetes/pkg/controller/certificates/cleaner/cleaner.go (1.36).
 */
import { millisFromTime } from '../../apimachinery/scalars/time.ts';
import { decodeBase64 } from '../../base/base64.ts';
import { decodeUtf8 } from '../../base/bytes.ts';
import type { Stored } from '../../client/object-types.ts';
import { CertificateSigningRequest } from '../../kinds/api/certificates/v1.ts';
import { parseCertificatesPem } from '../../pki/certificate.ts';
import { KeyedLoop } from '../keyed-loop.ts';
import type { LoopDefinition } from '../loop.ts';
import { unlessGone } from '../outdated-writes.ts';

const HOUR_MS = 60 * 60 * 1000;
const PENDING_MS = 24 * HOUR_MS;

export const certificateCleaningLoop: LoopDefinition = {
  name: 'certificatesigningrequest-cleaner-controller',
  serviceAccount: 'certificate-controller',
  start: (context) => {
    const { client, informers, clock } = context;
    const requests = informers.informer(CertificateSigningRequest);
    const loop = new KeyedLoop(context);
    loop.follow(requests, ({ metadata }) => [metadata.name]);
    return loop.start(context, {
      failure: 'cannot delete a CertificateSigningRequest that is done, retrying',
      sync: async (name) => {
        const request = requests.store.get(name);
        const end = request === undefined ? undefined : endOf(request);
        if (request === undefined || end === undefined) return;
        // kube-controller-manager polls once an hour; this loop schedules the exact time.
        if (clock.now() <= end) return loop.addAfter(name, end - clock.now() + 1);
        const preconditions = { uid: request.metadata.uid };
        await unlessGone(client.api(CertificateSigningRequest).delete(name, { preconditions }));
      },
    });
  },
};

/**
 * Returns the time after which a request is deleted, in milliseconds since the epoch; undefined if it has no valid
 * time.
 */
function endOf({ metadata, status }: Stored<CertificateSigningRequest>): number | undefined {
  const { conditions = [], certificate = '' } = status ?? {};
  const ends = conditions.map(({ type, lastUpdateTime }) => {
    const kept = type === 'Approved' && certificate === '' ? PENDING_MS : HOUR_MS;
    return ['Approved', 'Denied', 'Failed'].includes(type)
      ? (millisFromTime(lastUpdateTime ?? '') ?? Number.NaN) + kept
      : undefined;
  });
  if (conditions.length === 0) ends.push((millisFromTime(metadata.creationTimestamp ?? '') ?? Number.NaN) + PENDING_MS);
  if (certificate !== '') ends.push(expiryOf(certificate));
  const known = ends.filter((end) => end !== undefined && Number.isFinite(end)) as number[];
  return known.length === 0 ? undefined : Math.min(...known);
}

function expiryOf(certificate: string): number | undefined {
  const [first] = parseCertificatesPem(decodeUtf8(decodeBase64(certificate) ?? new Uint8Array())) ?? [];
  return first?.notAfter;
}
