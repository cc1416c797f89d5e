import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { noOrganizationRules, type SomeRules } from "../../app/policy/rule-layers.ts";
import { defaultRules } from "../../app/policy/rules.ts";
import { silentLog } from "../log.ts";
import { type DonorPolicy, openPolicy } from "./donor-policy.ts";

let folder: string;
let path: string;
let own: SomeRules;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-policy-"));
  path = join(folder, "policy.json");
  own = {};
});
afterEach(() => rm(folder, { recursive: true }));

const open = (base = defaultRules): Promise<DonorPolicy> =>
  openPolicy({ path, base, own: () => own, managed: noOrganizationRules, log: silentLog });

const onDisk = (expected: unknown): Promise<void> =>
  vi.waitFor(async () => expect(JSON.parse(await readFile(path, "utf8"))).toEqual(expected), {
    timeout: 60_000,
  });

describe("a donor's policy", () => {
  it("combines the defaults, the donor's choices and the organization's rules as they change", async () => {
    const policy = await open({ ...defaultRules, requireIdle: false });
    expect(policy.current().rules).toEqual({ ...defaultRules, requireIdle: false });
    own = { quiet: true };
    expect(policy.current()).toMatchObject({ rules: { quiet: true }, from: { quiet: "donor" } });
    policy.organizationSays({ values: { quiet: false }, locked: ["quiet"] });
    expect(policy.current()).toMatchObject({ rules: { quiet: false }, locked: ["quiet"] });
    expect(policy.current()).toBe(policy.current());
  });

  it("keeps the organization's locks over a restart without a connection", async () => {
    const policy = await open();
    policy.organizationSays({ values: { maxTemperatureC: 70 }, locked: ["maxTemperatureC"] });
    await onDisk({ version: 1, values: { maxTemperatureC: 70 }, locked: ["maxTemperatureC"] });
    own = { maxTemperatureC: null };
    expect((await open()).current().rules.maxTemperatureC).toBe(70);
  });

  it("drops a lock that the organization removes", async () => {
    const policy = await open();
    policy.organizationSays({ values: { quiet: true }, locked: ["quiet"] });
    policy.organizationSays({ values: {}, locked: [] });
    await onDisk({ version: 1, values: {}, locked: [] });
    expect((await open()).current().from.quiet).toBe("default");
  });

  it("starts without the organization's rules if the file is damaged, and logs it", async () => {
    await writeFile(path, "{");
    const events: string[] = [];
    const log = (_level: string, event: string): void => void events.push(event);
    const policy = await openPolicy({
      path,
      base: defaultRules,
      own: () => own,
      managed: noOrganizationRules,
      log,
    });
    expect(policy.current().rules).toEqual(defaultRules);
    expect(events).toEqual(["policy.corrupt"]);
  });
});
