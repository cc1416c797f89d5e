import { expect, test } from "vitest";
import { limits } from "../checks/limits.ts";
import { givesChunksAway } from "./plain-response.ts";
import { watchedBody } from "./watched-body.ts";

const broken: unknown[] = [];
const sizes: number[] = [];
let breakOff: (error: unknown) => void;
const watched = (body: ReadableStream<Uint8Array>, leftMs = 60_000): ReadableStream<Uint8Array> =>
  watchedBody(body, {
    leftMs,
    onStart: (stop) => (breakOff = stop),
    onLate: () => new Error("late"),
    onBroken: (error) => broken.push(error),
    onEnd: (bytes) => sizes.push(bytes),
  });

function streamOf(parts: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

test("a body stays as it is", async () => {
  const parts = ["one ", "two"].map((text) => new TextEncoder().encode(text));
  expect(await new Response(watched(streamOf(parts))).text()).toBe("one two");
  expect([broken.splice(0), sizes.splice(0)]).toEqual([[], [7]]);
});

test("a body of bytes gives its chunks away, and another one keeps them", async () => {
  const chunk = (): Uint8Array<ArrayBuffer> => new TextEncoder().encode("one");
  const [given, kept] = [chunk(), chunk()];
  const bytes = new ReadableStream({
    type: "bytes",
    start(controller) {
      controller.enqueue(given);
      controller.close();
    },
  });
  const bodies = [watched(bytes), watched(streamOf([kept]))];
  expect(bodies.map(givesChunksAway)).toEqual([true, false]);
  for (const body of bodies) expect(await new Response(body).text()).toBe("one");
  expect([given.buffer.detached, kept.buffer.detached]).toEqual([true, false]);
  broken.splice(0);
  sizes.splice(0);
});

test("an endless body ends with the time of its action", async () => {
  let reason: unknown;
  const endless = new ReadableStream<Uint8Array>({ cancel: (by) => void (reason = by) });
  await expect(new Response(watched(endless, 5)).text()).rejects.toThrow("late");
  expect(reason).toEqual(new Error("late"));
  expect([broken.splice(0), sizes.splice(0)]).toEqual([[new Error("late")], [0]]);
});

test("an endless body breaks off when its action ends, and one that is over does not", async () => {
  const text = new Response(watched(new ReadableStream<Uint8Array>())).text();
  breakOff(new Error("ended"));
  await expect(text).rejects.toThrow("ended");
  expect([broken.splice(0), sizes.splice(0)]).toEqual([[new Error("ended")], [0]]);
  expect(await new Response(watched(streamOf([new Uint8Array(3)]))).bytes()).toHaveLength(3);
  breakOff(new Error("ended"));
  expect([broken.splice(0), sizes.splice(0)]).toEqual([[], [3]]);
});

test("a body that breaks off, or has no bytes, is reported once", async () => {
  const failing = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error("halfway")) });
  await expect(new Response(watched(failing)).text()).rejects.toThrow("halfway");
  expect([broken.splice(0), sizes.splice(0)]).toEqual([[new Error("halfway")], [0]]);
  const ofTexts = streamOf(["text" as unknown as Uint8Array]);
  await expect(new Response(watched(ofTexts)).text()).rejects.toThrow("must be a stream of Uint8Arrays");
  expect(broken.splice(0)).toEqual([new TypeError("A body must be a stream of Uint8Arrays")]);
});

test("a body of more than 100 MiB breaks off", async () => {
  const part = new Uint8Array(limits.httpResponseBytes / 2 + 1);
  const large = watched(streamOf([part, part]));
  await expect(new Response(large).bytes()).rejects.toThrow("HTTP actions support responses up to 100 MiB");
  expect(broken.splice(0)).toHaveLength(1);
});

test("a body whose reader leaves is canceled, and not reported", async () => {
  let reason: unknown;
  const endless = new ReadableStream<Uint8Array>({ cancel: (by) => void (reason = by) });
  await watched(endless).cancel("gone");
  expect([reason, broken]).toEqual(["gone", []]);
});
