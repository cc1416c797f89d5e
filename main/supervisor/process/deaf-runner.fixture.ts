import { findParentPort } from "../../runner/process/parent-port.ts";

/** A runner in a native call that never ends: no event reaches it, not even that its parent has gone. */
findParentPort()?.send({ type: "started" });
setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 50);
