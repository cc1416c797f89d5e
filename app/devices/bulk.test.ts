import { expect, it } from "vitest";
import { type BulkAct, bulkPreview, effectOf } from "./bulk.ts";

const idle = {
  status: "active",
  asked: false,
  failing: false,
  groups: ["Lab"],
  version: "0.4.0",
  askedVersion: "",
} as const;
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

it("asks only devices for an update that do not have it and were not asked", () => {
  const update = { kind: "update", group: "", version: "0.5.0" } as const;
  expect(effectOf(update, idle)).toBe("changes");
  expect(effectOf(update, { ...idle, version: "" })).toBe("changes");
  expect(effectOf(update, { ...idle, askedVersion: "0.4.1" })).toBe("changes");
  expect(effectOf(update, { ...idle, askedVersion: "0.5.0" })).toBe("same");
  expect(effectOf(update, { ...idle, version: "0.5.0" })).toBe("same");
  expect(effectOf(update, { ...idle, version: "0.10.0" })).toBe("same");
  expect(effectOf(update, { ...idle, status: "retired" })).toBe("cannot");
});

it("does not touch devices that are not in service", () => {
  for (const kind of ["pause", "drain", "resume"] as const)
    for (const status of ["pending", "retired"] as const)
      expect(effectOf(act(kind), { ...idle, status })).toBe("cannot");
  expect(effectOf(act("retire"), { ...idle, status: "pending" })).toBe("changes");
  expect(effectOf(act("group", "Lab"), { ...idle, status: "retired" })).toBe("cannot");
});

it("says before an act how many devices it changes", () => {
  expect(bulkPreview(act("pause"), { changes: 9, same: 3, cannot: 0 })).toBe(
    "12 devices: 9 pause, 3 are paused already.",
  );
  expect(bulkPreview(act("group", "Lab"), { changes: 1, same: 0, cannot: 0 })).toBe(
    "1 device: 1 move to Lab.",
  );
  expect(bulkPreview({ ...act("update"), version: "0.5.0" }, { changes: 2, same: 1, cannot: 0 })).toBe(
    "3 devices: 2 will be asked for version 0.5.0, 1 are asked or have it already.",
  );
  expect(bulkPreview(act("retire"), { changes: 0, same: 0, cannot: 2 })).toBe(
    "2 devices: 0 retire, 2 cannot, since they are not in service.",
  );
});
