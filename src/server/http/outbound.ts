/**
 * Calls that the server makes to others: conversion and admission webhooks, extension servers. Invariant: a call ends within its time, holds at most its limit of bytes, and fails with a
 * sentence that says whom it called and what went wrong.
 */
import type { MaybePromise } from '../../base/maybe-promise.ts';

export interface OutboundCall {
  /** `https://host:port/path?query`. */
  readonly url: string;
  /** What to connect to instead of the URL's host, which stays the name that the certificate must have. */
  readonly address?: ServiceAddress;
  /** PEM; '' for the authorities that the system trusts. */
  readonly ca: string;
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly timeoutMs: number;
  /** The largest answer that is read. */
  readonly answerBytes: number;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

export interface OutboundClient {
  /** POSTs. Rejects with an Error whose message is as Go's client words it: `Post "<url>": dial tcp 127.0.0.1:1: connect: connection refused`. */
  post(call: OutboundCall): Promise<OutboundAnswer>;
  /** Closes idle connections and fails what is under way. */
  stop(): Promise<void>;
}

export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/** Finds what stands behind a Service. It sits here, below all servers of the chain, because more than one of them calls Services. */
export interface ServiceResolver {
  /** Throws, or rejects with, an Error that says what is missing: `service "x" not found`. */
  resolve(namespace: string, name: string, port: number): MaybePromise<ServiceAddress>;
}
