import { setImmediate as nextTurn } from "node:timers/promises";
import { UnknownWorkerError } from "@gleaner/queue/worker";
import { afterEach, expect, it, vi } from "vitest";
import { done } from "../../../app/contract/donor-calls.ts";
import { fakeHandlers } from "../../face/handlers.fixture.ts";
import { silentLog } from "../../log.ts";
import { Deregistration } from "./deregistration.ts";

afterEach(() => {
  vi.useRealTimers();
});

type Over = Partial<ConstructorParameters<typeof Deregistration>[0]>;

function leaving(over: Over = {}) {
  const did: string[] = [];
  const leave = new Deregistration({
    organization: () => "Acme",
    device: () => "laptop",
    halt: async () => void did.push("halt"),
    tell: async () => void did.push("tell"),
    erase: async () => {
      did.push("erase");
      return [];
    },
    onLeft: ({ isTold }) => void did.push(`left, ${isTold ? "told" : "not told"}`),
    log: silentLog,
    ...over,
  });
  return { did, leave };
}

it("gives the jobs back, tells the organization and removes the files, and then the shell hears of it", async () => {
  const { did, leave } = leaving();
  const value = { organization: "Acme", device: "laptop", isTold: true, kept: [] };
  expect(await leave.leave()).toEqual({ kind: "ok", value });
  expect(did).toEqual(["halt", "tell", "erase"]);
  await nextTurn();
  expect(did.at(-1)).toBe("left, told");
});

it("leaves only once, however often it is asked", async () => {
  const { did, leave } = leaving();
  const [first, second] = await Promise.all([leave.leave(), leave.leave()]);
  expect(second).toEqual(first);
  await nextTurn();
  expect(did).toEqual(["halt", "tell", "erase", "left, told"]);
});

it("leaves without a server, and says that the organization could not be told", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { did, leave } = leaving({ tell: () => new Promise(() => undefined) });
  const reply = leave.leave();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await reply).toMatchObject({ value: { isTold: false } });
  expect(did).toContain("erase");
});

it.each([
  [new UnknownWorkerError("unknown"), true],
  [new Error("rate limited"), false],
])("counts a refusal by %s as told: %s", async (error, isTold) => {
  const { leave } = leaving({ tell: () => Promise.reject(error) });
  expect(await leave.leave()).toMatchObject({ value: { isTold } });
});

it("leaves although a job could not be given back, and names the files that are left", async () => {
  const { leave } = leaving({
    halt: () => Promise.reject(new Error("stuck")),
    erase: () => Promise.resolve(["models"]),
  });
  expect(await leave.leave()).toMatchObject({ value: { isTold: true, kept: ["models"] } });
});

it("refuses a computer that belongs to no organization, and changes nothing", async () => {
  const { did, leave } = leaving({ organization: () => null });
  expect(await leave.leave()).toMatchObject({ kind: "refused" });
  expect(did).toEqual([]);
});

it("refuses what would store something while this computer leaves", async () => {
  const { leave } = leaving();
  const handlers = leave.guarded(fakeHandlers({ resume: () => done, quit: () => done }));
  expect(await handlers.resume(null)).toEqual(done);
  await leave.leave();
  expect(await handlers.resume(null)).toMatchObject({ kind: "refused" });
  expect(await handlers.quit(null)).toEqual(done);
});
