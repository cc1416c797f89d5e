/** A runner in an endless native call: no event reaches it, not even the end of its parent. */
process.send?.({ type: "started", confinement: [] });
setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 50);
