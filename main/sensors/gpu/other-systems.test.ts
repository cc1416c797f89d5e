import { expect, it, onTestFinished, vi } from "vitest";
import { known, unknown } from "../../../app/facts/facts.ts";
import { macMeter, parseClients } from "./macos-clients.ts";
import { ours, programOf, recorded } from "./recorded.fixture.ts";
import { readEngines, windowsMeter } from "./windows-engines.ts";

const ioreg = recorded("ioreg.txt");
const engines = recorded("windows-engines.txt");
const lines = engines.split("\n");
const patient = { timeout: 60_000 };

it("finds the busiest engine of Windows' counters without our own process", () => {
  // Engine 0 of the first GPU: 12 + 21 of others, 58 of ours.
  expect(readEngines(lines, new Set([7_788]))).toMatchObject([{ otherLoad: known(0.33) }]);
  expect(readEngines(lines, new Set())[0]?.otherLoad).toEqual(known(0.91));
  expect(readEngines(["end 418"], new Set())[0]?.otherLoad).toEqual(known(0));
});

it("knows nothing of a Windows computer without such counters", () => {
  expect(readEngines(["end 0"], new Set())).toEqual([]);
  expect(readEngines(["Get-CimInstance : Invalid class"], new Set())).toEqual([]);
});

it("lets one PowerShell print Windows' counters again and again", async () => {
  const { program, starts } = programOf(
    `process.stdout.write(${JSON.stringify(engines)}); if (args.includes("while")) setInterval(() => process.stdout.write(${JSON.stringify(engines)}), 50);`,
  );
  const meter = windowsMeter(ours(7_788), program);
  const close = meter.open?.();
  onTestFinished(() => close?.());
  await vi.waitFor(async () => {
    const before = starts().length;
    expect(await meter.read()).toMatchObject([{ otherLoad: known(0.33) }]);
    expect(starts().length).toBe(before);
  }, patient);
  expect(starts().filter((args) => args.includes("while"))).toHaveLength(1);
});

it("reads each program's GPU time from IOKit", () => {
  expect(parseClients(ioreg, new Set([4_242]))).toMatchObject([
    { client: "0x100000a01", own: true, busy: 300_000_000 },
    { client: "0x100000a02", own: false, busy: 125_000_000 },
  ]);
});

/** The load after five seconds, in which IOKit's text became the second one. */
async function macLoad(alive: boolean, first: string, second: string) {
  const { program } = programOf(
    `const fs = require("node:fs"); const again = fs.readFileSync(__dirname + "/starts", "utf8").split("\\n").length > 2;
process.stdout.write(again ? ${JSON.stringify(second)} : ${JSON.stringify(first)});`,
  );
  let now = 0;
  const wait = (): Promise<void> => {
    now += 5_000;
    return Promise.resolve();
  };
  const own = ours(4_242);
  own.alive = alive;
  return (await macMeter(own, program, wait, () => now).read())[0]?.otherLoad ?? unknown;
}

it("subtracts our runner from a Mac's load", async () => {
  const later = ioreg
    .replace('"accumulatedGPUTime"=125000000', '"accumulatedGPUTime"=1625000000')
    .replace('"accumulatedGPUTime"=250000000', '"accumulatedGPUTime"=3250000000');
  expect(await macLoad(true, ioreg, later)).toEqual(known(0.3));
});

it("takes a Mac's whole load where IOKit does not count programs, but not beside our runner", async () => {
  const whole = ioreg.replaceAll(/"AppUsage" = .*/g, "");
  expect(await macLoad(false, whole, whole)).toEqual(known(0.32));
  expect(await macLoad(true, whole, whole)).toEqual(unknown);
});
