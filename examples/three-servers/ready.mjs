/** The health check of a container: exits with 0 if the server is ready. */
import { get } from 'node:https';

const options = { host: '127.0.0.1', port: 6443, path: '/readyz', rejectUnauthorized: false };
get(options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1));
