import { findParentPort } from "../runner/process/parent-port.ts";

/** A runner that gets into a loop without an end with its first job. */
const port = findParentPort();
port?.onMessage(() => {
  for (;;);
});
port?.send({ type: "started" });
