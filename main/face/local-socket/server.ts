import { chmod, lstat, mkdir, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import { callFrame, type ReplyFrame } from "../../../app/contract/donor-calls.ts";
import { parseJson } from "../../../app/json.ts";
import { errorName, type Log } from "../../log.ts";
import type { AnswerCall } from "../answer-call.ts";
import { type SocketAddress, socketAddress } from "./address.ts";
import { onLines } from "./lines.ts";

export type LocalSocket = { readonly close: () => Promise<void> };

const longestRequestBytes = 64 * 1024;
const mostConnections = 16;
/** Requests of one connection whose answer has not been sent yet. */
const mostPending = 16;

/** Lets the user's terminals call the donor. If the socket cannot be opened, logs that, and the donor continues. */
export async function openLocalSocket(folder: string, answer: AnswerCall, log: Log): Promise<LocalSocket> {
  try {
    return await serveLocalSocket(folder, answer, log);
  } catch (error) {
    log("warn", "local-socket.not-open", { error: errorName(error) });
    return { close: () => Promise.resolve() };
  }
}

/**
 * Lets programs of the same user call the donor of this folder. The caller holds the folder's lock, so a socket that
 * is already there was left by a crash, and is replaced. Rejects if the socket cannot be opened.
 */
export async function serveLocalSocket(folder: string, answer: AnswerCall, log: Log): Promise<LocalSocket> {
  const address = socketAddress(folder);
  if (address.kind === "socket") await makeRoom(address);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    if (open.size >= mostConnections) return void socket.destroy();
    open.add(socket);
    socket.on("close", () => open.delete(socket)).on("error", () => socket.destroy());
    converse(socket, answer);
  });
  await listen(server, address);
  server.on("error", (error) => log("warn", "local-socket.failed", { error: errorName(error) }));
  return {
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
      if (address.kind === "socket") await rm(address.path, { force: true });
    },
  };
}

/** Another user may have made the private folder to listen in it. Then there is no socket. */
async function makeRoom({ path, folder }: Extract<SocketAddress, { kind: "socket" }>): Promise<void> {
  if (folder === "private") {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const found = await lstat(dirname(path));
    if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0) {
      throw new Error(`${dirname(path)} belongs to somebody else, or is open to others.`);
    }
  }
  await rm(path, { force: true });
}

async function listen(server: Server, { kind, path }: SocketAddress): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // `listen` creates the socket file before it returns. Others must not be able to open it at any moment.
    const before = kind === "socket" ? process.umask(0o177) : null;
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
    if (before !== null) process.umask(before);
  });
  if (kind === "socket") await chmod(path, 0o600);
}

function converse(socket: Socket, answer: AnswerCall): void {
  let pending = 0;
  const gone = new AbortController();
  socket.on("close", () => gone.abort());
  onLines(socket, longestRequestBytes, (line) => {
    const frame = callFrame.safeParse(parseJson(line)).data;
    if (frame === undefined || pending >= mostPending) return void socket.destroy();
    pending += 1;
    void answer(frame.call, frame.argument, gone.signal).then((reply) => {
      if (!socket.writable) return;
      // Counts as pending until it is sent, so that answers that nobody reads do not pile up.
      socket.write(`${JSON.stringify({ id: frame.id, reply } satisfies ReplyFrame)}\n`, () => {
        pending -= 1;
      });
    });
  });
}
