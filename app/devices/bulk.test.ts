import { expect, it } from "vitest";
import { type BulkAct, bulkPreview, effectOf } from "./bulk.ts";

const idle = { status: "active", asked: false, failing: false, groups: ["Lab"] } as const;
const act = (kind: BulkAct["kind"], group = ""): BulkAct => ({ kind, group });

it("leaves devices as they are that an act would not change", () => {
  expect(effectOf(act("pause"), idle)).toBe("changes");
  expect(effectOf(act("pause"), { ...idle, asked: true })).toBe("same");
  expect(effectOf(act("drain"), { ...idle, asked: true })).toBe("same");
  expect(effectOf(act("resume"), idle)).toBe("same");
  expect(effectOf(act("resume"), { ...idle, failing: true })).toBe("changes");
  expect(effectOf(act("group", "Lab"), idle)).toBe("same");
  expect(effectOf(act("group", "Night"), idle)).toBe("changes");
  expect(effectOf(act("group"), idle)).toBe("changes");
  expect(effectOf(act("retire"), { ...idle, status: "retired" })).toBe("same");
});

it("does not touch devices that are not in service", () => {
  for (const kind of ["pause", "drain", "resume"] as const)
    for (const status of ["pending", "retired"] as const)
      expect(effectOf(act(kind), { ...idle, status })).toBe("cannot");
  expect(effectOf(act("retire"), { ...idle, status: "pending" })).toBe("cannot");
  expect(effectOf(act("group", "Lab"), { ...idle, status: "retired" })).toBe("cannot");
});

it("says before an act how many devices it changes", () => {
  expect(bulkPreview(act("pause"), { changes: 9, same: 3, cannot: 0 })).toBe(
    "12 devices: 9 pause, 3 are paused already.",
  );
  expect(bulkPreview(act("group", "Lab"), { changes: 1, same: 0, cannot: 0 })).toBe(
    "1 device: 1 move to Lab.",
  );
  expect(bulkPreview(act("retire"), { changes: 0, same: 0, cannot: 2 })).toBe(
    "2 devices: 0 retire, 2 cannot, since they are not in service.",
  );
});
