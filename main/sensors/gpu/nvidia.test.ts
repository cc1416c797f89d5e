import { expect, it, onTestFinished, vi } from "vitest";
import { known, unknown } from "../../../app/facts/facts.ts";
import type { GpuReading } from "./gpu-meter.ts";
import { nvidiaMeter, type NvidiaShare, parseTotal, readingOf, shareParser } from "./nvidia.ts";
import { ours, programOf, recorded } from "./recorded.fixture.ts";

const runner = 100_973;
const totals = recorded("nvidia-totals.txt").trim().split("\n");
const pmon = recorded("nvidia-pmon.txt");

function sharesIn(name: string): readonly NvidiaShare[] {
  const parse = shareParser();
  return recorded(name)
    .split("\n")
    .map((line) => parse(line))
    .filter((found): found is NvidiaShare => found !== null && found !== "no process");
}

const busy = { index: 0, id: "0000:01:00.0", load: 0.88, freeMb: 9_120 };
const othersIn = (name: string, total: number | null, ...pids: readonly number[]) =>
  readingOf({ ...busy, load: total }, sharesIn(name), new Set(pids)).otherLoad;

it("reads each GPU's number, place, load and free memory", () => {
  expect(totals.map((line) => parseTotal(line))).toEqual([
    busy,
    { index: 1, id: "0000:41:00.0", load: 0, freeMb: 24_210 },
  ]);
  expect(parseTotal("0, 00000000:01:00.0, [N/A], [N/A]")).toMatchObject({ load: null, freeMb: null });
  expect(parseTotal("No devices were found")).toBeNull();
});

it("reads the processes' shares from old and new drivers", () => {
  expect(sharesIn("nvidia-pmon.txt")).toContainEqual({ index: 0, pid: 2_959_442, load: 0.39 });
  expect(sharesIn("nvidia-pmon-old-driver.txt")).toEqual([
    { index: 0, pid: 1_312, load: 0.24 },
    { index: 0, pid: runner, load: null },
  ]);
});

it("subtracts our own runner, and adds up the other programs", () => {
  const others = othersIn("nvidia-pmon-old-driver.txt", 0.9, runner);
  expect(others).toEqual(known(0.24));
  expect(othersIn("nvidia-pmon.txt", 0.88, runner, 2_959_442)).toEqual(known(0.02));
});

it("does not know others' load if the driver tells no shares, unless the GPU hardly works", () => {
  expect(othersIn("nvidia-pmon-no-shares.txt", 0.9, runner)).toEqual(unknown);
  expect(othersIn("nvidia-pmon-no-shares.txt", null, runner)).toEqual(unknown);
  expect(othersIn("nvidia-pmon-no-shares.txt", 0.04, runner)).toEqual(known(0.04));
  // In a container, our process has another number outside.
  expect(othersIn("nvidia-pmon.txt", 0.88, 17)).toEqual(known(1));
});

it("tells our runner from a program beside it on an H200", () => {
  expect(othersIn("nvidia-h200-pmon.txt", 0.46, 694)).toEqual(known(0.5));
  expect(othersIn("nvidia-h200-pmon.txt", 0.46, 655)).toEqual(known(0));
  expect(othersIn("nvidia-h200-pmon-alone.txt", 0.38, 694)).toEqual(known(0));
});

it("takes the whole load for that of others without a runner", () => {
  expect(readingOf(busy, [], null).otherLoad).toEqual(known(0.88));
});

/** Prints what NVIDIA's program prints: once, or again and again. */
const smi = `
const isPmon = args.startsWith("pmon");
const text = isPmon ? ${JSON.stringify(pmon)} : ${JSON.stringify(totals.join("\n") + "\n")};
process.stdout.write(text);
if (/ -[ld] \\d/.test(args)) setInterval(() => process.stdout.write(text), 50);
`;

it("uses one long-lived process of each kind, and ends them", async () => {
  const own = ours(runner);
  const { program, starts } = programOf(smi);
  const meter = nvidiaMeter(own, { program });
  const close = meter.open?.();
  onTestFinished(() => close?.());
  const loadOf = async (): Promise<GpuReading | undefined> =>
    (await meter.read()).find(({ index }) => index === 0);
  await vi.waitFor(async () => expect((await loadOf())?.otherLoad).toEqual(known(0.41)), { timeout: 60_000 });
  await vi.waitFor(() => expect(starts().filter((args) => / -[ld] /.test(args))).toHaveLength(2), {
    timeout: 60_000,
  });
  const before = starts().length;
  for (let index = 0; index < 10; index += 1) await meter.read();
  expect(starts()).toHaveLength(before);
});

it("asks once without a long-lived process, and for shares only beside a runner", async () => {
  const own = ours(runner);
  own.alive = false;
  const { program, starts } = programOf(smi);
  const [first, second] = await nvidiaMeter(own, { program }).read();
  expect([first?.otherLoad, second?.otherLoad]).toEqual([known(0.88), known(0)]);
  expect(starts()).toEqual([expect.stringContaining("--query-gpu=")]);
});

it("starts nothing where NVIDIA's program is missing", async () => {
  const meter = nvidiaMeter(ours(1), { program: "/nowhere/nvidia-smi" });
  meter.open?.()();
  expect(await meter.read()).toEqual([]);
});
