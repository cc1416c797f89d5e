import type { SyncExtension } from "x11";
import { ask, openX11 } from "../x11/x11-client.ts";
import { type IdleEvents, type IdlePort, quietMs } from "./idle-port.ts";

/**
 * The X server's idle counter (SYNC extension). One alarm fires when it exceeds the quiet time, and one when input
 * resets it, so no polling is needed. Every keyboard, mouse and touch screen counts.
 */
export function x11Idle(display: string): IdlePort {
  return { source: "the X server's idle counter", open: (events) => openCounter(display, events) };
}

async function openCounter(display: string, events: IdleEvents): Promise<(() => void) | null> {
  const x = await openX11(display, events.lost);
  if (x === null) return null;
  const { client } = x;
  const sync = await ask<SyncExtension>((reply) => client.require("sync", reply));
  const counters = sync === null ? null : await ask<Counters>((reply) => sync.ListSystemCounters(reply));
  const counter = counters?.find(({ name }) => name === "IDLETIME")?.counter;
  const idleMs =
    sync === null || counter === undefined
      ? null
      : await ask<number>((reply) => sync.QueryCounter(counter, reply));
  if (sync === null || counter === undefined || idleMs === null) {
    client.terminate();
    return null;
  }

  const alarm = (testType: number): number => {
    const id = client.AllocID();
    const absolute = sync.ValueType.Absolute;
    // Without a delta, the alarm stays armed and fires at each crossing.
    sync.CreateAlarm(id, { counter, valueType: absolute, value: quietMs, testType, delta: 0, events: 1 });
    return id;
  };
  const quiet = alarm(sync.TestType.PositiveTransition);
  const input = alarm(sync.TestType.NegativeTransition);
  client.on("event", (event: { readonly name?: string; readonly alarm?: number }) => {
    if (event.name !== "AlarmNotify") return;
    if (event.alarm === quiet) events.quiet(quietMs);
    if (event.alarm === input) events.input();
  });
  if (idleMs >= quietMs) events.quiet(idleMs);
  return () => client.terminate();
}

type Counters = readonly { readonly counter: number; readonly name: string }[];
