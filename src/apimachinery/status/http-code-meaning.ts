/**
 * The meaning of HTTP codes for responses without a Status. Reasons and messages are those of the reference's clients.
 */
import { quote } from '../go-format.ts';
import type { KnownStatusReason } from './status.ts';

export interface HttpCodeMeaning {
  readonly reason: KnownStatusReason | undefined;
  readonly text: string;
}

/** `verb` is the HTTP method: a 409 to a POST means that the object exists. An unknown code below 500 has no reason. */
export function interpretHttpCode(code: number, verb: string, serverMessage: string): HttpCodeMeaning {
  switch (code) {
    case 409:
      return { reason: verb === 'POST' ? 'AlreadyExists' : 'Conflict', text: 'the server reported a conflict' };
    case 404:
      return { reason: 'NotFound', text: 'the server could not find the requested resource' };
    case 400:
      return { reason: 'BadRequest', text: 'the server rejected our request for an unknown reason' };
    case 401:
      return { reason: 'Unauthorized', text: 'the server has asked for the client to provide credentials' };
    case 403:
      return { reason: 'Forbidden', text: serverMessage };
    case 406:
      return {
        reason: 'NotAcceptable',
        text:
          serverMessage === '' || serverMessage === 'unknown'
            ? 'the server was unable to respond with a content type that the client supports'
            : serverMessage,
      };
    case 415:
      return { reason: 'UnsupportedMediaType', text: serverMessage };
    case 405:
      return { reason: 'MethodNotAllowed', text: 'the server does not allow this method on the requested resource' };
    case 422:
      return { reason: 'Invalid', text: 'the server rejected our request due to an error in our request' };
    case 503:
      return { reason: 'ServiceUnavailable', text: 'the server is currently unable to handle the request' };
    case 504:
      return {
        reason: 'Timeout',
        text: 'the server was unable to return a response in the time allotted, but may still be processing the request',
      };
    case 429:
      return {
        reason: 'TooManyRequests',
        text: 'the server has received too many requests and has asked us to try again later',
      };
    default:
      return code >= 500
        ? {
            reason: 'InternalError',
            text: `an error on the server (${quote(serverMessage)}) has prevented the request from succeeding`,
          }
        : {
            reason: undefined,
            text: `the server responded with the status code ${code} but did not return more information`,
          };
  }
}
