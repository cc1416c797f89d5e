import type { Socket } from "node:net";

/**
 * Calls back with each incoming line, without its line end. A line of more than `maxBytes` ends the connection, since
 * neither donors nor commands send one.
 */
export function onLines(socket: Socket, maxBytes: number, listener: (line: string) => void): void {
  let parts: Buffer[] = [];
  let length = 0;
  socket.on("data", (chunk: Buffer) => {
    let rest = chunk;
    for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
      if (length + end > maxBytes) return void socket.destroy();
      const line = Buffer.concat([...parts, rest.subarray(0, end)]).toString("utf8");
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
      if (line.trim() !== "") listener(line);
      // The listener may have ended the connection. The lines that follow are then ignored.
      if (socket.destroyed) return;
    }
    length += rest.length;
    if (length > maxBytes) return void socket.destroy();
    if (rest.length > 0) parts.push(rest);
  });
}
