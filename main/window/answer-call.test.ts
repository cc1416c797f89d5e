import { expect, it, vi } from "vitest";
import type { PanelHandlers } from "../../app/contract/ipc.ts";
import { answerCall } from "./answer-call.ts";

function handlersWith(pause: PanelHandlers["pause"]): PanelHandlers {
  return { pause } as unknown as PanelHandlers;
}

it("passes a parsed argument on, and its answer back", async () => {
  const pause = vi.fn<PanelHandlers["pause"]>(() => ({ kind: "ok", value: null }));
  const argument = { minutes: 15, extra: "dropped" };
  expect(await answerCall(handlersWith(pause), "pause", argument)).toEqual({ kind: "ok", value: null });
  expect(pause).toHaveBeenCalledExactlyOnceWith({ minutes: 15 });
});

it.each([
  ["an unknown name", "reboot", null],
  ["a name of every object", "constructor", null],
  ["a name that is no text", 7, null],
  ["a wrong argument", "pause", { minutes: -1 }],
  ["no argument", "pause", undefined],
])("refuses %s before any handler runs", async (_what, name, argument) => {
  const pause = vi.fn<PanelHandlers["pause"]>();
  expect(await answerCall(handlersWith(pause), name, argument)).toMatchObject({ kind: "refused" });
  expect(pause).not.toHaveBeenCalled();
});

it("turns a handler's failure into a refusal that tells nothing of it", async () => {
  const reply = await answerCall(
    handlersWith(() => {
      throw new Error("the key is gd_secret");
    }),
    "pause",
    { minutes: null },
  );
  expect(reply.kind).toBe("refused");
  expect(JSON.stringify(reply)).not.toContain("secret");
});
