import { describe, expect, it } from "vitest";
import { jsonLines } from "../../../app/audit/jsonl.ts";
import type { AuditRow } from "../data/rows.ts";
import { collectRows, csv } from "./export-trail.ts";

function row(change: Partial<AuditRow>): AuditRow {
  return {
    id: "a1" as AuditRow["id"],
    createdAt: 5.5,
    at: 0,
    actor: "member",
    by: "Ada",
    memberId: "m1",
    keyId: null,
    sessionId: null,
    method: null,
    agent: null,
    address: "unknown",
    action: "device.retired",
    subject: "d1",
    name: "Laptop",
    detail: null,
    ...change,
  };
}

describe("an export of the audit trail", () => {
  it("has a line for each row, without empty fields", () => {
    const [line = ""] = jsonLines([row({})], []).split("\n");
    expect(JSON.parse(line)).toEqual({
      kind: "row",
      id: "a1",
      createdAt: 5.5,
      at: 0,
      actor: "member",
      by: "Ada",
      memberId: "m1",
      address: "unknown",
      action: "device.retired",
      subject: "d1",
      name: "Laptop",
    });
  });

  it("quotes cells of a spreadsheet, and runs no formula", () => {
    const text = csv([row({ name: '=HYPERLINK("http://x")', detail: "a, b" })]);
    expect(text).toContain(`"'=HYPERLINK(""http://x"")"`);
    expect(text).toContain('"a, b"');
    expect(text.split("\r\n")[1]).toMatch(/^1970-01-01T00:00:00.000Z,Ada,Device retired,/);
  });

  it("reads all pages, also empty ones, and puts the oldest first", async () => {
    const pages = [[row({ subject: "3" })], [], [row({ subject: "2" }), row({ subject: "1" })]];
    const rows = await collectRows(
      {
        page: (cursor) => {
          const at = Number(cursor ?? "0");
          const last = at === pages.length - 1;
          return Promise.resolve({ page: pages[at] ?? [], isDone: last, continueCursor: String(at + 1) });
        },
      },
      () => undefined,
    );
    expect(rows.map(({ subject }) => subject)).toEqual(["1", "2", "3"]);
  });
});
