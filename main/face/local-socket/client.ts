import { lstat } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import { controlAddress } from "./address.ts";
import {
  type ControlAnswer,
  type ControlArgument,
  type ControlCall,
  controlCalls,
  replyLine,
} from "./calls.ts";
import { onLines, parseJson } from "./lines.ts";

export type CallOutcome<Call extends ControlCall> =
  | { readonly kind: "ok"; readonly value: ControlAnswer<Call> }
  | { readonly kind: "refused"; readonly message: string }
  /** Nobody listens there. */
  | { readonly kind: "not-running" }
  /** Somebody listens and does not answer as expected: `why` in a sentence. */
  | { readonly kind: "failed"; readonly why: string };

const longestReplyBytes = 32 * 2 ** 20;
const answersWithinMs = 15_000;

/** Asks the donor that keeps its things in this folder. Never rejects. */
export async function callDonor<Call extends ControlCall>(
  folder: string,
  call: Call,
  argument: ControlArgument<Call>,
  withinMs: number = answersWithinMs,
): Promise<CallOutcome<Call>> {
  const address = controlAddress(folder);
  if (address.kind === "socket" && !(await isOurs(address))) return { kind: "not-running" };
  const raw = await exchange(address.path, { id: 1, call, argument }, withinMs);
  if (raw.kind !== "line") return raw;
  const reply = replyLine.safeParse(parseJson(raw.line)).data?.reply;
  if (reply === undefined) return { kind: "failed", why: "The donor answered something strange." };
  if (reply.kind === "refused") return reply;
  const value = controlCalls[call].answer.safeParse(reply.value);
  if (value.success) return { kind: "ok", value: value.data as ControlAnswer<Call> };
  return { kind: "failed", why: "The donor is of another version: its answer cannot be understood." };
}

/** In a folder that others can write to, somebody else could listen in the donor's place. */
async function isOurs(address: { readonly path: string; readonly folder: string }): Promise<boolean> {
  if (address.folder === "data") return true;
  const found = await lstat(dirname(address.path)).catch(() => null);
  return found !== null && found.isDirectory() && found.uid === process.getuid?.();
}

type Exchange =
  | { readonly kind: "line"; readonly line: string }
  | { readonly kind: "not-running" }
  | { readonly kind: "failed"; readonly why: string };

function exchange(path: string, request: object, withinMs: number): Promise<Exchange> {
  return new Promise((resolve) => {
    const socket: Socket = connect(path);
    const timer = setTimeout(
      () => finish({ kind: "failed", why: `The donor did not answer within ${withinMs / 1_000} s.` }),
      withinMs,
    );
    const finish = (outcome: Exchange): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    socket.on("connect", () => void socket.write(`${JSON.stringify(request)}\n`));
    socket.on("error", (error: NodeJS.ErrnoException) => finish(outcomeOf(error)));
    socket.on("close", () => finish({ kind: "failed", why: "The donor closed the connection." }));
    onLines(socket, longestReplyBytes, (line) => finish({ kind: "line", line }));
  });
}

function outcomeOf({ code, message }: NodeJS.ErrnoException): Exchange {
  if (code === "ENOENT" || code === "ECONNREFUSED" || code === "ENOTDIR") return { kind: "not-running" };
  if (code === "EACCES" || code === "EPERM") {
    return {
      kind: "failed",
      why: "The donor belongs to another user: ask as that user (for example with sudo -u).",
    };
  }
  return { kind: "failed", why: `The donor cannot be spoken to (${code ?? message}).` };
}
