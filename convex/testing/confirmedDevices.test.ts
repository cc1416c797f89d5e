import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { confirmedForMs } from "../../app/enrollment.ts";
import { enrollmentCodeOf } from "../../app/format/secrets.ts";
import { rates } from "../../app/jobs/limits.ts";
import { api } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import { type Backend, expectRefusal, secret } from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { makeSigningKey, registrationOf } from "./signing.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

/** A computer joins because its member signed in and confirmed it, without an enrollment code that somebody types. */

let t: Backend;
let owner: string;
let donor: { readonly session: string; readonly memberId: Id<"members"> };

beforeEach(async () => {
  ({ t, session: owner } = await openWorld());
  donor = await joinAs(t, owner, { name: "Ada", roles: ["donor"] });
});

afterEach(closeWorld);

/** The code that a computer makes by itself, and its hash. */
async function newCode(): Promise<{ code: string; codeHash: string }> {
  const code = enrollmentCodeOf(crypto.getRandomValues(new Uint8Array(32)));
  return { code, codeHash: await hashSecret(code) };
}

const confirm = async (codeHash: string, session = donor.session, device = "laptop-042") =>
  await t.mutation(api.console.codes.confirmDevice, { session, codeHash, device });

const isConfirmed = async (codeHash: string) =>
  (await t.query(api.devices.confirmation, { codeHash })).isConfirmed;

async function enroll(code: string) {
  const key = secret("gd_");
  const signingKey = registrationOf(makeSigningKey(), key);
  return await t.mutation(api.devices.enroll, {
    code,
    key,
    name: "laptop-042",
    platform: "linux x64",
    signingKey,
  });
}

it("lets a confirmed computer join once, and it belongs to the member", async () => {
  const { code, codeHash } = await newCode();
  expect(await isConfirmed(codeHash)).toBe(false);
  await confirm(codeHash);
  expect(await isConfirmed(codeHash)).toBe(true);
  expect(await t.mutation(api.devices.invitation, { code })).toMatchObject({
    kind: "open",
    organization: "Acme",
    needsApproval: false,
    owner: "Ada",
  });
  const enrolled = await enroll(code);
  if (enrolled.kind !== "enrolled") throw new Error(enrolled.reason);
  const { deviceId } = enrolled;
  const device = await t.run(async (ctx) => await ctx.db.get("devices", deviceId));
  expect(device).toMatchObject({ owner: donor.memberId, status: "active" });
  expect(await enroll(code)).toEqual({ kind: "refused", reason: "used-up" });
  const paginationOpts = { numItems: 10, cursor: null };
  const own = await t.query(api.console.devices.list, { session: donor.session, paginationOpts });
  expect(own.page).toMatchObject([{ deviceId }]);
});

it("is in the audit trail with the member and the computer's name", async () => {
  const { code, codeHash } = await newCode();
  await confirm(codeHash);
  await enroll(code);
  const paginationOpts = { numItems: 2, cursor: null };
  const { page } = await t.query(api.console.audit.list, { session: owner, paginationOpts });
  expect(page).toMatchObject([
    { action: "device.enrolled", detail: "By the code laptop-042, from an unknown address" },
    {
      action: "enrolment-code.created",
      detail: "For the computer laptop-042, which belongs to the member",
    },
  ]);
  expect(JSON.stringify(page[1])).toContain("Ada");
});

it("does not fill the list of the codes that people make", async () => {
  const before = await t.query(api.console.codes.list, { session: owner });
  await confirm((await newCode()).codeHash);
  expect(await t.query(api.console.codes.list, { session: owner })).toEqual(before);
});

it("admits the computer for ten minutes only", async () => {
  const { code, codeHash } = await newCode();
  await confirm(codeHash);
  vi.setSystemTime(Date.now() + confirmedForMs);
  expect(await enroll(code)).toEqual({ kind: "refused", reason: "expired" });
  await expectRefusal(confirm(codeHash), "conflict");
});

it("may be confirmed twice by the same member until the computer has joined", async () => {
  const { code, codeHash } = await newCode();
  await confirm(codeHash);
  expect(await confirm(codeHash)).toBeNull();
  await expectRefusal(confirm(codeHash, owner), "conflict");
  expect(await enroll(code)).toMatchObject({ kind: "enrolled" });
  await expectRefusal(confirm(codeHash), "conflict");
});

it("tells nothing of a code that a person made, and cannot take it over", async () => {
  const codeHash = await hashSecret("GLN-0000-1111-2222");
  await t.mutation(api.console.codes.create, { session: owner, codeHash, label: "Lab" });
  expect(await isConfirmed(codeHash)).toBe(false);
  await expectRefusal(confirm(codeHash), "conflict");
});

it("ends with the membership of its member", async () => {
  const { code, codeHash } = await newCode();
  await confirm(codeHash);
  await t.mutation(api.console.people.remove, { session: owner, memberId: donor.memberId });
  expect(await enroll(code)).toEqual({ kind: "refused", reason: "revoked" });
});

it("is inherited by nobody when its member's things are handed over", async () => {
  const heir = await joinAs(t, owner, { name: "Bo", roles: ["donor"] });
  const open = await newCode();
  const used = await newCode();
  await confirm(open.codeHash);
  await confirm(used.codeHash);
  await enroll(used.code);
  const { memberId } = donor;
  await t.mutation(api.console.people.remove, { session: owner, memberId, things: heir.memberId });
  expect(await enroll(open.code)).toEqual({ kind: "refused", reason: "revoked" });
  const trail = await t.run(async (ctx) => await ctx.db.query("audit").collect());
  expect(trail.filter(({ action }) => action === "enrolment-code.revoked")).toHaveLength(1);
});

it("is limited for each member", async () => {
  for (let count = 0; count < rates.confirmedDevices.burst; count++)
    await confirm((await newCode()).codeHash);
  const { codeHash } = await newCode();
  await expectRefusal(confirm(codeHash), "rate_limited");
  expect(await isConfirmed(codeHash)).toBe(false);
  const other = await joinAs(t, owner, { name: "Grace", roles: ["donor"] });
  expect(await confirm(codeHash, other.session)).toBeNull();
});

it.each([
  ["a hash of another form", { codeHash: "GLN-0000-1111-2222" }],
  ["a name without text", { device: " " }],
  ["a name that is too long", { device: "a".repeat(121) }],
])("refuses %s", async (_, wrong) => {
  const { codeHash } = await newCode();
  const given = { session: donor.session, codeHash, device: "laptop", ...wrong };
  await expectRefusal(t.mutation(api.console.codes.confirmDevice, given), "invalid");
});

it("names the console's address, at which the member signs in", async () => {
  vi.stubEnv("GLEANER_CONSOLE_URL", undefined);
  vi.stubEnv("CONVEX_SITE_URL", "https://office:3211");
  const { codeHash } = await newCode();
  const ask = async () => (await t.query(api.devices.confirmation, { codeHash })).console;
  expect(await ask()).toBe("https://office:3211/console/");
  vi.stubEnv("GLEANER_CONSOLE_URL", "https://console.example.org/");
  expect(await ask()).toBe("https://console.example.org/");
  vi.unstubAllEnvs();
  await expectRefusal(t.query(api.devices.confirmation, { codeHash: "x" }), "invalid");
});
