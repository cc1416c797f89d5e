import { expect, it } from "vitest";
import { parseBatch } from "./parse-batch.ts";

const parse = (over: object) =>
  parseBatch(
    JSON.stringify({
      input_file_id: "file-1",
      endpoint: "/v1/embeddings",
      completion_window: "24h",
      ...over,
    }),
  );

it.each([
  ["1h", 3_600_000],
  ["24h", 86_400_000],
  ["7d", 604_800_000],
  ["168h", 604_800_000],
])("reads the window %s", (window, windowMs) => {
  expect(parse({ completion_window: window })).toEqual({
    kind: "parsed",
    asked: {
      fileId: "file-1",
      endpoint: "/v1/embeddings",
      window,
      windowMs,
      metadata: null,
      outputKeptMs: null,
    },
  });
});

it.each(["0h", "59m", "8d", "169h", "-1h", "1.5h", "h", "", "24"])("refuses the window %j", (window) => {
  expect(parse({ completion_window: window })).toMatchObject({
    kind: "refused",
    refusal: { status: 400, param: "completion_window" },
  });
});

it.each([
  [{ endpoint: "/v1/models" }, "endpoint"],
  [{ input_file_id: undefined }, "input_file_id"],
  [{ output_expires_after: { anchor: "created_at", seconds: 60 } }, "output_expires_after.seconds"],
  [{ output_expires_after: { anchor: "now", seconds: 3_600 } }, "output_expires_after.anchor"],
  [{ metadata: { a: 1 } }, "metadata.a"],
  [
    { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${String(n)}`, "v"])) },
    "metadata",
  ],
  [{ metadata: { a: "x".repeat(513) } }, "metadata.a"],
])("refuses %j", (over, param) => {
  expect(parse(over)).toMatchObject({ kind: "refused", refusal: { status: 400, param } });
});
