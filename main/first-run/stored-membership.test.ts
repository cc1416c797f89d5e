import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openIdentity } from "../donor/organization/identity.ts";
import { silentLog } from "../log.ts";
import { readMembership } from "./stored-membership.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-membership-"));
});
afterEach(() => rm(folder, { recursive: true }));

const deviceKey = `gd_${"A".repeat(43)}`;

it.each([
  ["joined", { version: 1, deviceKey }, "joined"],
  ["joined, with encrypted keys", { version: 2, sealed: "AAAA" }, "joined"],
  ["unjoined", { version: 2, sealed: "AAAA", enrolment: null }, "unjoined"],
  ["damaged, with a short key", { version: 1, deviceKey: "gd_short" }, "damaged"],
  ["damaged, with empty keys", { version: 2, sealed: "" }, "damaged"],
  ["newer, in a form of its own", { version: 3, enrolment: "d1" }, "newer"],
])("tells of a file that it is %s, as the donor does", async (_how, change, kind) => {
  const path = join(folder, "device.json");
  const enrolment = { deviceId: "d1", organizationName: "Acme" };
  const text = JSON.stringify({ enrolment, ...change });
  await writeFile(path, text);
  expect(await readMembership(folder)).toMatchObject({ kind });
  expect(await readFile(path, "utf8")).toBe(text);
  const opened = await openIdentity(path, { vault: null, log: silentLog }).catch(() => null);
  expect(opened !== null && opened.damagedFile !== null).toBe(kind === "damaged");
});

it("tells of a folder without a file that it has none", async () => {
  expect(await readMembership(folder)).toEqual({ kind: "none" });
});
