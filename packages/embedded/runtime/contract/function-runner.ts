import type { JSONValue } from "convex/values";
import type { ReadSet, Timestamp } from "../../engine/model/types.ts";
import type { ComponentPath } from "../../names/table-name.ts";
import type { RequestSource } from "../../wire/request-source.ts";

export type Claims = { readonly [claim: string]: JSONValue };

/**
 * Identity of the caller. An `admin` may call internal functions, and may act as a user with the given claims.
 * A `user` has verified token claims. For HTTP actions, `none` says why the `Authorization` header was
 * refused, if there is one: the app may use that header for a purpose of its own.
 */
export type Identity =
  | { readonly kind: "none"; readonly refused?: string }
  | { readonly kind: "admin"; readonly actingAs?: Claims }
  | { readonly kind: "user"; readonly attributes: Claims };

export type FunctionCall = {
  /** "module:name" or "folder/module:name", as clients send it (".js" and a missing name allowed). */
  readonly path: string;
  /** The component that has the function; absent and "" mean the app. Only the admin may name a component. */
  readonly component?: ComponentPath;
  /** The one argument object, in Convex's JSON encoding. */
  readonly args: JSONValue;
  readonly identity: Identity;
  readonly requestId: string;
  readonly source?: RequestSource;
  /** Only for mutations that came over a WebSocket. Clients may resend them after a reconnect. */
  readonly session?: SessionRequest;
};

/** The caller of an HTTP action: its identity and source, and the request's id in logs and errors. */
export type HttpCaller = {
  /** Resolves when the client has the whole answer (true), or has left. */
  readonly answered?: Promise<boolean>;
  readonly identity?: Identity;
  readonly requestId?: string;
  readonly source?: RequestSource;
};

/** Identifies a mutation of a client session, so that a resent one is answered and not run again. */
export type SessionRequest = {
  readonly sessionId: string;
  readonly requestId: number;
  /** Whether the request certainly has no record, so that none is looked for. */
  readonly isNew?: boolean;
  /** The client has seen the outcomes of its requests up to this one, so their records are deleted. Null: none are left. */
  readonly acknowledgedThrough: number | null;
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

export type MutationRun = Completed & {
  readonly ts: Timestamp;
  /** The session's request through which records were deleted, if any were. */
  readonly deletedThrough?: number;
};

/** Runs functions of the loaded bundle. Failures of user code are outcomes; a rejection is a bug in the backend. */
export interface FunctionRunner {
  runQuery(
    call: FunctionCall & { readonly journal?: string | null; readonly ts?: Timestamp },
  ): Promise<QueryRun>;
  /** Runs and commits a mutation. Retries a few times on conflict, with backoff. */
  runMutation(call: FunctionCall): Promise<MutationRun>;
  runAction(call: FunctionCall): Promise<Completed>;
  /** Runs a query, mutation or action, depending on the function. For HTTP `/api/function` and `npx convex run`. */
  runAny(call: FunctionCall): Promise<Completed>;
  /** Routes a request to an httpAction; null if no route matches. */
  runHttp(request: Request, caller?: HttpCaller): Promise<Response | null>;
  /** Describes the functions of the app or a component, as `npx convex function-spec` shows them. */
  functionSpecs(component?: ComponentPath): readonly FunctionSpec[];
}

export type FunctionSpec = {
  readonly identifier: string;
  readonly functionType: "Query" | "Mutation" | "Action";
  readonly visibility: "public" | "internal";
  readonly args: JSONValue;
  readonly returns: JSONValue;
};
