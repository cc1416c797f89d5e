import type { JSONValue } from "convex/values";
import type { ReadSet, Timestamp } from "../../engine/model/types.ts";
import type { ComponentPath } from "../../names/table-name.ts";

export type Claims = { readonly [claim: string]: JSONValue };

/**
 * Who calls. `admin` may call internal functions, and functions then see the claims it acts as, if any;
 * `user` carries verified token claims. `none` of an HTTP action says why its `Authorization` header is no
 * identity, if it has one: the header may be the developer's own affair.
 */
export type Identity =
  | { readonly kind: "none"; readonly refused?: string }
  | { readonly kind: "admin"; readonly actingAs?: Claims }
  | { readonly kind: "user"; readonly attributes: Claims };

/** Where a request came from, as far as is known: the client's IP address, and what its program calls itself. */
export type RequestSource = { readonly ip: string | null; readonly userAgent: string | null };

/** Of what no request caused: scheduled functions, crons. */
export const unknownSource: RequestSource = { ip: null, userAgent: null };

export type FunctionCall = {
  /** "module:name" or "folder/module:name", as clients send it (".js" and a missing name allowed). */
  readonly path: string;
  /** Of which installed component the function is; absent and "" mean the app. Only the admin may name one. */
  readonly component?: ComponentPath;
  /** The one argument object, in Convex's JSON encoding. */
  readonly args: JSONValue;
  readonly identity: Identity;
  readonly requestId: string;
  readonly source?: RequestSource;
  /** Only of mutations that came over a WebSocket: they may be sent again after a reconnect. */
  readonly session?: SessionRequest;
};

/** Who sends a request to an HTTP action, from where, and the id that its logs and errors go by. */
export type HttpCaller = {
  readonly identity?: Identity;
  readonly requestId?: string;
  readonly source?: RequestSource;
};

/** Names one mutation of one client session, so that a resent one is answered, not run again. */
export type SessionRequest = {
  readonly sessionId: string;
  readonly requestId: number;
  /** The client has seen the outcomes of its requests up to this one: their records may go. */
  readonly acknowledgedThrough: number;
};

export type Outcome =
  | { readonly kind: "success"; readonly value: JSONValue }
  | {
      readonly kind: "failure";
      /** The message that a client sees, as Convex words it. */
      readonly message: string;
      /** A ConvexError's data, in Convex's JSON encoding; absent for other errors. */
      readonly data?: JSONValue;
    };

export type Completed = { readonly outcome: Outcome; readonly logLines: readonly string[] };

export type QueryRun = Completed & {
  readonly ts: Timestamp;
  readonly readSet: ReadSet;
  readonly journal: string | null;
};

export type MutationRun = Completed & { readonly ts: Timestamp };

/** Runs functions of the loaded bundle. Failures of user code are outcomes; a rejection is a bug of ours. */
export interface FunctionRunner {
  runQuery(
    call: FunctionCall & { readonly journal?: string | null; readonly ts?: Timestamp },
  ): Promise<QueryRun>;
  /** Runs, commits, and runs again on conflict, a few times, with backoff. */
  runMutation(call: FunctionCall): Promise<MutationRun>;
  runAction(call: FunctionCall): Promise<Completed>;
  /** Any of the three, by what the function is: HTTP `/api/function` and `npx convex run`. */
  runAny(call: FunctionCall): Promise<Completed>;
  /** Routes to an httpAction; null when no route matches. */
  runHttp(request: Request, caller?: HttpCaller): Promise<Response | null>;
  /** What functions the app, or a component, has, as `npx convex function-spec` shows them. */
  functionSpecs(component?: ComponentPath): readonly FunctionSpec[];
}

export type FunctionSpec = {
  readonly identifier: string;
  readonly functionType: "Query" | "Mutation" | "Action";
  readonly visibility: "public" | "internal";
  readonly args: JSONValue;
  readonly returns: JSONValue;
};
