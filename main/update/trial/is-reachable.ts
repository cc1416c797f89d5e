import { connect } from "node:net";

const withinMs = 3_000;

/** Whether something accepts a connection at the address of the backend. */
export function isReachable(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const target = {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
  };
  return new Promise((resolve) => {
    const socket = connect(target);
    const end = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(withinMs, () => end(false));
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}
