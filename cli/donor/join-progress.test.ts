import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { MembershipReport } from "../../app/contract/membership.ts";
import { JoinProgress } from "./join-progress.ts";

const alone: MembershipReport = {
  membership: true,
  organization: null,
  device: null,
  isOnline: true,
  isRetired: false,
  problem: null,
};
const member = { ...alone, organization: "Acme", device: "laptop" };
const sentence = "It does not work.";

let printed: string[];
beforeEach(() => {
  printed = [];
  const print = (line: string): void => void printed.push(line);
  vi.spyOn(console, "log").mockImplementation(print);
  vi.spyOn(console, "error").mockImplementation(print);
});
afterEach(() => vi.restoreAllMocks());

function progress(hasCode = true): JoinProgress {
  const one = new JoinProgress({ hasCode, isJson: false });
  one.show();
  return one;
}

it("says that the computer joined, or that it is connected again", () => {
  const joining = progress();
  joining.take(alone);
  joining.take(member);
  expect(printed).toEqual(["Joined Acme as laptop."]);
  progress().take(member);
  expect(printed[1]).toBe("Connected to Acme as laptop.");
});

it("says that an administrator retired the computer, and how it joins again", () => {
  progress().take({ ...member, isRetired: true });
  expect(printed).toEqual([expect.stringMatching(/^An administrator retired this computer.*--rejoin$/)]);
});

it("prints nothing before it is shown, and nothing twice", () => {
  const early = new JoinProgress({ hasCode: true, isJson: false });
  early.take(member);
  expect(printed).toEqual([]);
  early.show();
  early.take({ ...member });
  expect(printed).toHaveLength(1);
});

it("gives up if only another start can help a computer that is no member", async () => {
  const problem = { kind: "wrong-server", sentence, remedy: "restart" } as const;
  const hopeless = progress();
  hopeless.take({ ...alone, problem });
  expect(await hopeless.hopeless).toMatchObject({ message: expect.stringContaining(sentence) as string });
});

it.each([
  ["time may end", { ...alone, problem: { kind: "unreachable", sentence, remedy: "wait" } }],
  ["a code may end", { ...alone, problem: { kind: "code-refused", sentence, remedy: "code" } }],
  ["a member has", { ...member, problem: { kind: "wrong-server", sentence, remedy: "restart" } }],
] as const)("stays and says it if there is a problem that %s", async (_, report) => {
  const staying = progress();
  staying.take(report);
  expect(printed.join()).toContain(sentence);
  const gaveUp = staying.hopeless.then(() => true);
  expect(await Promise.race([gaveUp, Promise.resolve(false)])).toBe(false);
});

it("asks for a code if none was given", () => {
  progress(false).take(alone);
  expect(printed[0]).toContain("GLEANER_CODE=GLN-…");
  printed = [];
  progress(true).take(alone);
  expect(printed).toEqual([]);
});

it("waits for the first report, but not forever", async () => {
  const silent = progress();
  await silent.known(1);
  const waiting = silent.known(60_000);
  silent.take(alone);
  await waiting;
});

it("prints no control characters of the organization's name", () => {
  progress().take({ ...member, organization: "A\u001b[2Jcme" });
  expect(printed[0]).not.toContain("\u001b");
});
