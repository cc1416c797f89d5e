import { lstat } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import {
  type CallAnswer,
  type CallArgument,
  type CallFrame,
  type CallOf,
  calls,
  type Refusal,
  replyFrame,
} from "../../../app/contract/donor-calls.ts";
import { spellSeconds } from "../../../app/format/time.ts";
import { parseJson } from "../../../app/json.ts";
import { socketAddress } from "./address.ts";
import { onLines } from "./lines.ts";

type CallOutcome<Name extends CallOf<"terminal">> =
  | { readonly kind: "ok"; readonly value: CallAnswer<Name> }
  | Refusal
  /** No donor listens there. */
  | { readonly kind: "not-running" }
  /** A program listens there, but does not answer as expected. `why` is a sentence. */
  | { readonly kind: "failed"; readonly why: string };

const longestReplyBytes = 32 * 2 ** 20;
const answersWithinMs = 15_000;

/** Calls the donor that runs in this data folder. Never rejects. */
export async function callDonor<Name extends CallOf<"terminal">>(
  folder: string,
  name: Name,
  argument: CallArgument<Name>,
  withinMs: number = answersWithinMs,
): Promise<CallOutcome<Name>> {
  const address = socketAddress(folder);
  if (address.kind === "socket" && !(await isOurs(address))) return { kind: "not-running" };
  const raw = await exchange(address.path, { id: 1, call: name, argument }, withinMs);
  if (raw.kind !== "line") return raw;
  const reply = replyFrame.safeParse(parseJson(raw.line)).data?.reply;
  if (reply === undefined) return { kind: "failed", why: "The donor's answer cannot be understood." };
  if (reply.kind === "refused") return reply;
  const value = calls[name].answer.safeParse(reply.value);
  if (value.success) return { kind: "ok", value: value.data as CallAnswer<Name> };
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

function exchange(path: string, frame: CallFrame, withinMs: number): Promise<Exchange> {
  return new Promise((resolve) => {
    const socket: Socket = connect(path);
    const timer = setTimeout(
      () =>
        finish({ kind: "failed", why: `The donor did not answer within ${spellSeconds(withinMs / 1_000)}.` }),
      withinMs,
    );
    const finish = (outcome: Exchange): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    socket.on("connect", () => void socket.write(`${JSON.stringify(frame)}\n`));
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
      why: "The donor belongs to another user. Run this command as that user, for example with sudo -u.",
    };
  }
  return { kind: "failed", why: `The donor cannot be reached (${code ?? message}).` };
}
