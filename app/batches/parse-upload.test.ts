import { expect, it } from "vitest";
import { parseUpload, parseUploadCompletion } from "./parse-upload.ts";

it("reads the announcement of a file", () => {
  const body = { filename: "a.jsonl", bytes: 7, purpose: "batch", mime_type: "application/jsonl" };
  expect(parseUpload(JSON.stringify(body))).toEqual({
    kind: "parsed",
    asked: { name: "a.jsonl", bytes: 7, keptSeconds: undefined },
  });
  const kept = { ...body, expires_after: { anchor: "created_at", seconds: 3_600 } };
  expect(parseUpload(JSON.stringify(kept))).toMatchObject({ asked: { keptSeconds: 3_600 } });
});

it.each([
  [{ part_ids: ["a", "b"] }, null],
  [{ part_ids: ["a"], md5: null }, null],
  [{ part_ids: [] }, "part_ids"],
  [{ part_ids: [7] }, "part_ids[0]"],
  [{ part_ids: Array.from({ length: 1_001 }, () => "a") }, "part_ids"],
  [{ part_ids: ["a"], md5: "x" }, "md5"],
])("reads the completion %#", (body, param) => {
  const parsed = parseUploadCompletion(JSON.stringify(body));
  expect(parsed.kind === "refused" ? parsed.refusal.param : null).toBe(param);
});
