import type { Bar } from "../support/bars.ts";

export type AbuseFigures = {
  readonly grammar: {
    /** Steps of the analysis for each character of a grammar; the most of all grammars. */
    readonly stepsPerChar: number;
    /** The slowest grammar's median, in ms of the event loop. */
    readonly worstMs: number;
  };
  /** The median time until a schema with 20^20 beginnings is refused, in ms of the event loop. */
  readonly schemaBombMs: number;
  /** Bytes that the backend retains for one connection without an identity, at most. */
  readonly preAuthBytesPerConnection: number;
  /** The 99th percentile of /health, asked every 50 ms during the hostile calls. */
  readonly healthP99MsUnderAbuse: number;
  /** Calls of another key that failed during the hostile calls. */
  readonly neighborsHurt: number;
};

/** The conditions under which the figures were measured. */
export type AbuseDetails = {
  /** The median time until the slowest body with hundreds of thousands of values is refused, in ms of the event loop. */
  readonly wideBodyMs: number;
  /** Greedy connections of which the backend's memory was measured, and those of them that were open all the time. */
  readonly greedyConnections: number;
  readonly greedyConnectionsOpen: number;
  /** Growth of the backend's resident memory for each of them. */
  readonly residentBytesPerConnection: number;
  /** Growth of the backend's resident memory during the hostile calls, at most. */
  readonly residentBytesUnderAbuse: number;
  readonly hostileCalls: number;
  /** Hostile calls of the kind that was sent least often. */
  readonly hostileCallsOfEachKind: number;
  /** Hostile calls that did not reach the backend. */
  readonly hostileCallsLost: number;
  readonly neighborsAnswered: number;
  readonly healthAsked: number;
  readonly healthWorstMs: number;
};

export function abuseBars(figures: AbuseFigures, details: AbuseDetails): readonly Bar[] {
  const atMost = (text: string, value: number, most: number): Bar => ({
    text: `${text}: at most ${most}`,
    value: String(value),
    met: value <= most,
  });
  const atLeast = (text: string, value: number, least: number): Bar => ({
    text: `${text}: at least ${least}`,
    value: String(value),
    met: value >= least,
  });
  return [
    atMost("ms for the slowest grammar", figures.grammar.worstMs, 5),
    atMost("ms until a schema bomb is refused", figures.schemaBombMs, 20),
    atMost("ms until a body with many values is refused", details.wideBodyMs, 20),
    atMost("bytes of a connection without an identity", figures.preAuthBytesPerConnection, 4 * 2 ** 20),
    atMost("ms of /health under abuse, p99", figures.healthP99MsUnderAbuse, 100),
    atMost("calls of others that failed", figures.neighborsHurt, 0),
    atLeast("greedy connections that stayed open", details.greedyConnectionsOpen, details.greedyConnections),
    atLeast("hostile calls of each kind", details.hostileCallsOfEachKind, 1),
    atMost("hostile calls that did not reach the backend", details.hostileCallsLost, 0),
    atLeast("calls of others that were answered", details.neighborsAnswered, 1),
    atLeast("answers of /health", details.healthAsked, 1),
  ];
}
