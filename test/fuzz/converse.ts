import type WebSocket from "ws";

/** Sends the texts, and resolves to the replies once the other side was silent for a while or closed the socket. */
export function converse(
  socket: WebSocket,
  texts: readonly string[],
  silenceMs: number,
): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const replies: string[] = [];
    let timer: NodeJS.Timeout | undefined;
    const waitOn = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => socket.terminate(), silenceMs);
    };
    socket.on("open", () => {
      for (const text of texts) socket.send(text);
      waitOn();
    });
    socket.on("message", (data: Buffer) => {
      replies.push(data.toString("utf8"));
      waitOn();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(replies);
    });
  });
}

/** Throws if a reply shows where in the program something went wrong. */
export function checkNoSource(reply: string): void {
  if (/node:internal|\n\s+at .+:\d+:\d+/.test(reply)) {
    throw new Error(`a reply reveals its source: ${reply.slice(0, 500)}`);
  }
}
