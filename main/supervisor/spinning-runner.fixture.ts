import { findParentPort } from "../runner/process/parent-port.ts";

/** A runner that enters an endless loop with its first message. */
const port = findParentPort();
port?.onMessage(() => {
  for (;;);
});
port?.send({ type: "started" });
