import {
  type FunctionArgs,
  type FunctionReference,
  type FunctionReturnType,
  makeFunctionReference,
  type PaginationOptions,
  type PaginationResult,
} from "convex/server";
import type { JobStatus } from "../../../app/jobs/states.ts";
import type { AuditRow, CodeRow, DeviceRow, JobRow, KeyRow, Me, Summary } from "./rows.ts";

type Session = { session: string };
type Paged = Session & { paginationOpts: PaginationOptions };
export type Refused = { readonly kind: "refused"; readonly reason: string };
export type SignedIn = { readonly organization: { readonly name: string }; readonly role: string };

const query = <Args extends Record<string, unknown>, Result>(name: string) =>
  makeFunctionReference<"query", Args, Result>(`admin:${name}`);
const mutation = <Args extends Record<string, unknown>, Result = unknown>(name: string) =>
  makeFunctionReference<"mutation", Args, Result>(`admin:${name}`);

/** The backend's `admin` functions, as the console uses them. */
export const admin = {
  signIn: mutation<{ token: string; session: string }, SignedIn | Refused>("signIn"),
  signOut: mutation<Session>("signOut"),
  me: query<Session, Me | null>("me"),
  summary: query<Session, Summary>("summary"),
  devices: query<Session, readonly DeviceRow[]>("devices"),
  retireDevice: mutation<Session & { deviceId: string }>("retireDevice"),
  reinstateDevice: mutation<Session & { deviceId: string }>("reinstateDevice"),
  jobs: query<Paged & { status?: JobStatus }, PaginationResult<JobRow>>("jobs"),
  cancelJob: mutation<Session & { jobId: string }>("cancelJob"),
  keys: query<Session, readonly KeyRow[]>("keys"),
  createKey: mutation<Session & { name: string; keyHash: string; prefix: string }>("createKey"),
  revokeKey: mutation<Session & { keyId: string }>("revokeKey"),
  enrolmentCodes: query<Session, readonly CodeRow[]>("enrolmentCodes"),
  createEnrolmentCode: mutation<
    Session & { codeHash: string; label: string; uses: number; expiresInHours: number }
  >("createEnrolmentCode"),
  revokeEnrolmentCode: mutation<Session & { codeId: string }>("revokeEnrolmentCode"),
  audit: query<Paged, PaginationResult<AuditRow>>("audit"),
};

export type AdminMutation = FunctionReference<"mutation">;
export type ArgsOf<Reference extends AdminMutation> = Omit<FunctionArgs<Reference>, "session">;
export type ResultOf<Reference extends AdminMutation> = FunctionReturnType<Reference>;
