import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { silentLog } from "../../log.ts";
import { Membership } from "./membership.ts";
import { openOrganization } from "./open-organization.ts";

const backend = { url: "http://127.0.0.1:9", pin: null, insecureHttp: false, hasCode: false, rejoin: false };
const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "gleaner-membership-"));
});
afterEach(() => rm(dataDir, { recursive: true }));

it("wakes nothing before it starts, since the donor is not complete then, and says why it is offline", async () => {
  const options = { dataDir, backend, name: "laptop", keyVault: null, log: silentLog };
  const opened = await openOrganization(options);
  const woken: string[] = [];
  const membership = new Membership({
    options,
    opened,
    onConnection: () => undefined,
    onMember: () => undefined,
    onEnrolled: () => undefined,
    wake: (reason) => woken.push(reason),
  });
  opened.link.seen(refused);
  expect(woken).toEqual([]);
  expect(membership.problem).toMatchObject({ kind: "unreachable", remedy: "wait" });
  expect(await membership.enroll("GLN-1")).toMatchObject({
    kind: "refused",
    message: expect.stringContaining("connection refused") as string,
  });

  membership.start();
  opened.link.seen(null);
  expect(woken).toEqual(["connection"]);
  expect(membership.problem).toBeNull();
  membership.stop();
  await opened.client.close();
});

it("tells a person who enters a code without a connection that nothing was sent, not that it was refused", async () => {
  const options = { dataDir, backend, name: "laptop", keyVault: null, log: silentLog };
  const opened = await openOrganization(options);
  const enroll = vi.fn(() => Promise.resolve({ kind: "refused", reason: "expired" } as const));
  const membership = new Membership({
    options,
    opened: { ...opened, organization: { ...opened.organization, enroll } },
    onConnection: () => undefined,
    onMember: () => undefined,
    onEnrolled: () => undefined,
    wake: () => undefined,
  });
  const connected = vi.spyOn(membership, "isConnected", "get").mockReturnValue(true);
  const expired = expect.stringContaining("has expired") as string;
  expect(await membership.enroll("GLN-1")).toMatchObject({ kind: "refused", message: expired });
  expect(membership.problem).toMatchObject({ kind: "code-refused", sentence: expired });

  connected.mockReturnValue(false);
  expect(await membership.enroll("GLN-2")).toMatchObject({
    kind: "refused",
    message: "The organization's server cannot be reached just now. Try again later.",
  });
  expect(enroll).toHaveBeenCalledTimes(1);
  expect(membership.problem).toBeNull();
  await opened.client.close();
});
