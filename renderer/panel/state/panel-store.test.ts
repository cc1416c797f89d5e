import { expect, it, vi } from "vitest";
import type { PanelBridge, Reply } from "../../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import { snapshots } from "../../gallery/fixtures/snapshots.ts";
import type { LinkState } from "../bridge/panel-link.ts";
import { applyDelta, createPanelStore } from "./panel-store.ts";

const base = snapshots(1_000_000).donating;

it("applies only changed fields, and keeps the object if nothing differs", () => {
  expect(applyDelta(base, { connection: base.connection, pause: base.pause })).toBe(base);
  const next = applyDelta(base, { connection: "offline" });
  expect(next).toEqual({ ...base, connection: "offline" });
  expect(next.history).toBe(base.history);
});

it("ignores undefined fields of a delta", () => {
  const odd = { connection: undefined } as unknown as Partial<DonorSnapshot>;
  expect(applyDelta(base, odd)).toBe(base);
});

it("takes a field that the first snapshot lacked", () => {
  const problem = {
    kind: "code-refused",
    sentence: "This enrollment code is not known.",
    remedy: "code",
  } as const;
  const { problem: _, ...first } = base;
  expect(applyDelta(first, { problem })).toEqual({ ...first, problem });
});

function harness() {
  const delta: { send: (value: Partial<DonorSnapshot>) => void } = { send: () => undefined };
  const link: { set: (state: LinkState) => void } = { set: () => undefined };
  const answers: ((reply: Reply<DonorSnapshot>) => void)[] = [];
  const bridge = {
    getSnapshot: () => new Promise<Reply<DonorSnapshot>>((resolve) => answers.push(resolve)),
    onDelta: (listener: (value: Partial<DonorSnapshot>) => void) => {
      delta.send = listener;
      return () => undefined;
    },
  } as unknown as PanelBridge;
  const store = createPanelStore({
    bridge,
    onLink: (listener) => {
      link.set = listener;
      listener("connecting");
      return () => undefined;
    },
  });
  return { store, delta, link, answers };
}

it("applies deltas that arrived before the snapshot", async () => {
  const { store, delta, link, answers } = harness();
  link.set("open");
  delta.send({ connection: "connecting" });
  delta.send({ connection: "offline" });
  expect(store.get().snapshot).toBeNull();
  answers[0]!({ kind: "ok", value: base });
  await vi.waitFor(() => expect(store.get().snapshot?.connection).toBe("offline"));
  delta.send({ connection: "online" });
  expect(store.get().snapshot?.connection).toBe("online");
});

it("keeps the last snapshot while the link is lost, and loads a new one when it reopens", async () => {
  const { store, link, answers } = harness();
  link.set("open");
  answers[0]!({ kind: "ok", value: base });
  await vi.waitFor(() => expect(store.get().snapshot).toBe(base));
  link.set("lost");
  expect(store.get()).toMatchObject({ link: "lost", snapshot: base });
  link.set("open");
  const fresh = { ...base, version: "9.9.9" };
  answers[1]!({ kind: "ok", value: fresh });
  await vi.waitFor(() => expect(store.get().snapshot).toBe(fresh));
});

it("ignores a snapshot that was requested before the link reopened", async () => {
  const { store, link, answers } = harness();
  link.set("open");
  link.set("lost");
  link.set("open");
  answers[1]!({ kind: "ok", value: base });
  await vi.waitFor(() => expect(store.get().snapshot).toBe(base));
  answers[0]!({ kind: "ok", value: { ...base, version: "0.0.1" } });
  await Promise.resolve();
  expect(store.get().snapshot).toBe(base);
});

it("reports why the snapshot is missing", async () => {
  const { store, link, answers } = harness();
  link.set("open");
  answers[0]!({ kind: "refused", message: "no" });
  await vi.waitFor(() => expect(store.get().problem).toBe("no"));
});
