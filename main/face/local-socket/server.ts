import { chmod, lstat, mkdir, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import { errorName, type Log } from "../../log.ts";
import { type ControlAddress, controlAddress } from "./address.ts";
import { type ControlCall, controlCalls, type ControlHandlers, type Refusal, requestLine } from "./calls.ts";
import { onLines, parseJson } from "./lines.ts";

export type ControlServer = { readonly close: () => Promise<void> };

const longestRequestBytes = 64 * 1024;
const mostConnections = 16;
/** Of one connection: requests whose answer is not on its way yet. */
const mostPending = 16;

/**
 * Lets programs of the same user speak to the donor of this folder. Whoever calls this holds the folder's lock:
 * a socket that is there already is then one that a crash left behind, and is replaced. Rejects when nothing
 * can be opened there.
 */
export async function serveControl(
  folder: string,
  handlers: ControlHandlers,
  log: Log,
): Promise<ControlServer> {
  const address = controlAddress(folder);
  if (address.kind === "socket") await makeRoom(address);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    if (open.size >= mostConnections) return void socket.destroy();
    open.add(socket);
    socket.on("close", () => open.delete(socket)).on("error", () => socket.destroy());
    converse(socket, handlers, log);
  });
  await listen(server, address);
  server.on("error", (error) => log("warn", "control.failed", { error: errorName(error) }));
  return {
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
      if (address.kind === "socket") await rm(address.path, { force: true });
    },
  };
}

/** The private folder may be one that somebody else has put there to listen in: then there is no channel. */
async function makeRoom({ path, folder }: Extract<ControlAddress, { kind: "socket" }>): Promise<void> {
  if (folder === "private") {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const found = await lstat(dirname(path));
    if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0) {
      throw new Error(`${dirname(path)} belongs to somebody else, or is open to others.`);
    }
  }
  await rm(path, { force: true });
}

async function listen(server: Server, { kind, path }: ControlAddress): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // The socket is bound within the call: at no moment may others open it.
    const before = kind === "socket" ? process.umask(0o177) : null;
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
    if (before !== null) process.umask(before);
  });
  if (kind === "socket") await chmod(path, 0o600);
}

function converse(socket: Socket, handlers: ControlHandlers, log: Log): void {
  let pending = 0;
  const gone = new AbortController();
  socket.on("close", () => gone.abort());
  onLines(socket, longestRequestBytes, (line) => {
    const request = requestLine.safeParse(parseJson(line)).data;
    if (request === undefined || pending >= mostPending) return void socket.destroy();
    pending += 1;
    void answer(handlers, request.call, request.argument, gone.signal, log).then((reply) => {
      if (!socket.writable) return;
      // Until it is on its way: answers that nobody fetches are not piled up.
      socket.write(`${JSON.stringify({ id: request.id, reply })}\n`, () => {
        pending -= 1;
      });
    });
  });
}

/** Never rejects: an unknown call or a bad argument is refused in words and reaches no handler. */
async function answer(
  handlers: ControlHandlers,
  call: string,
  argument: unknown,
  gone: AbortSignal,
  log: Log,
): Promise<Refusal | { readonly kind: "ok"; readonly value: unknown }> {
  if (!Object.hasOwn(controlCalls, call)) {
    return { kind: "refused", message: `This version of Gleaner does not know "${call}".` };
  }
  const parsed = controlCalls[call as ControlCall].argument.safeParse(argument);
  if (!parsed.success) return { kind: "refused", message: `This value is not allowed for "${call}".` };
  // The contract's map from names to handlers, seen as a whole: each takes what its own schema parsed.
  const handler = handlers[call as ControlCall] as (
    argument: unknown,
    gone: AbortSignal,
  ) => ReturnType<typeof answer>;
  try {
    return await handler(parsed.data, gone);
  } catch (error) {
    log("error", "control.call-failed", { call, error: errorName(error) });
    return { kind: "refused", message: "Gleaner could not do that. Its log says more." };
  }
}
