import { setTimeout as sleep } from "node:timers/promises";
import type { Handler } from "../side.ts";
import { token } from "./tokens.ts";

/** The jobs' handler for both sides. Calls `onStart` first. */
export function handlerOf(onStart: (number: number) => void): Handler {
  return async (payload, write) => {
    onStart(payload.number);
    if (payload.kind === "sleep") {
      if (payload.ms > 0) await sleep(payload.ms);
      return;
    }
    const began = performance.now();
    for (let n = 0; n < payload.tokens; n += 1) {
      const due = began + (n * 1000) / payload.perSecond - performance.now();
      if (due > 0) await sleep(due);
      await write(token(n));
    }
  };
}
