import type { JSONValue } from "convex/values";
import type { Timestamp } from "../../engine/model/types.ts";
import type { Completed, Outcome } from "../../runtime/contract/function-runner.ts";
import { encodeTimestamp } from "../../wire/timestamps.ts";
import type { KnownResult } from "./known-result.ts";

export type QueryId = number;

/** A client's state: its own two counters, and the timestamp of its results. */
export type StateVersion = { readonly querySet: number; readonly identity: number; readonly ts: Timestamp };

type EncodedVersion = { readonly querySet: number; readonly identity: number; readonly ts: string };

export type StateModification =
  | {
      readonly type: "QueryUpdated" | "QueryFailed";
      readonly queryId: QueryId;
      /** Sent as its fields; see `transitionJson`. */
      readonly result: KnownResult;
    }
  | { readonly type: "QueryRemoved"; readonly queryId: QueryId };

export type TransitionMessage = {
  readonly type: "Transition";
  readonly startVersion: EncodedVersion;
  readonly endVersion: EncodedVersion;
  readonly modifications: readonly StateModification[];
  readonly clientClockSkew?: number;
  /** Nanoseconds since the epoch, as a number: the client uses it only to measure transit times. */
  readonly serverTs?: number;
};

export type AuthErrorMessage = {
  readonly type: "AuthError";
  readonly error: string;
  readonly baseVersion: number;
  /** True for the answer to an `Authenticate`, false when the token expired later. */
  readonly authUpdateAttempted: boolean;
};

type Failed = {
  readonly success: false;
  readonly result: string;
  readonly errorData?: JSONValue;
  readonly logLines: readonly string[];
};

export type ServerMessage =
  | TransitionMessage
  | {
      readonly type: "TransitionChunk";
      readonly chunk: string;
      readonly partNumber: number;
      readonly totalParts: number;
      readonly transitionId: string;
    }
  | ({ readonly type: "MutationResponse"; readonly requestId: number } & (
      | {
          readonly success: true;
          readonly result: JSONValue;
          readonly ts: string;
          readonly logLines: readonly string[];
        }
      | Failed
    ))
  | ({ readonly type: "ActionResponse"; readonly requestId: number } & (
      { readonly success: true; readonly result: JSONValue; readonly logLines: readonly string[] } | Failed
    ))
  | AuthErrorMessage
  | { readonly type: "FatalError"; readonly error: string }
  | { readonly type: "Ping" };

export function encodeVersion(version: StateVersion): EncodedVersion {
  return { querySet: version.querySet, identity: version.identity, ts: encodeTimestamp(version.ts) };
}

export function mutationResponse(requestId: number, run: Completed, ts: Timestamp): ServerMessage {
  const head = { type: "MutationResponse", requestId } as const;
  return run.outcome.kind === "success"
    ? { ...head, success: true, result: run.outcome.value, ts: encodeTimestamp(ts), logLines: run.logLines }
    : { ...head, ...failed(run.outcome, run.logLines) };
}

export function actionResponse(requestId: number, run: Completed): ServerMessage {
  const head = { type: "ActionResponse", requestId } as const;
  return run.outcome.kind === "success"
    ? { ...head, success: true, result: run.outcome.value, logLines: run.logLines }
    : { ...head, ...failed(run.outcome, run.logLines) };
}

/** Answers a call that was not run. */
export function refusedCall(type: "Mutation" | "Action", requestId: number, message: string): ServerMessage {
  const head = { requestId, success: false, result: message, logLines: [] } as const;
  return type === "Mutation" ? { type: "MutationResponse", ...head } : { type: "ActionResponse", ...head };
}

function failed(outcome: Outcome & { readonly kind: "failure" }, logLines: readonly string[]): Failed {
  return {
    success: false,
    result: outcome.message,
    logLines,
    ...(outcome.data === undefined ? {} : { errorData: outcome.data }),
  };
}
