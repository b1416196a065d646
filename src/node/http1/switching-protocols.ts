/** The head of a `101 Switching Protocols` answer. */
import type { ServerResponse } from 'node:http';
import type { AnswerHeaders } from '../../server/http/exchange.ts';

/** Writes the head. Throws, before it writes, if HTTP does not allow a header. `response` is the one of the request. */
export function writeSwitchingProtocols(response: ServerResponse, protocol: string, headers: AnswerHeaders): void {
  const lines = ['HTTP/1.1 101 Switching Protocols', `Upgrade: ${protocol}`, 'Connection: Upgrade'];
  // setHeader validates names and values.
  response.setHeader('upgrade', protocol);
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, value as string);
    for (const one of [value].flat()) lines.push(`${name}: ${one}`);
  }
  response.socket?.write(`${lines.join('\r\n')}\r\n\r\n`);
}
