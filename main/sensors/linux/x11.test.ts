import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { known, unknown } from "../../../app/facts/facts.ts";
import { InputWatch } from "../../donor/input/input-watch.ts";
import { unknownIdle } from "../base/idle.ts";
import { gatherFacts } from "../facts-source.ts";
import { DesktopIdle } from "./idle/desktop-idle.ts";
import { x11Idle } from "./idle/x11-idle.ts";
import { ask, openX11 } from "./x11/x11-client.ts";
import { x11ScreenSensor } from "./x11/x11-screen.ts";

const soon = { timeout: 60_000, interval: 20 };
const hasX = ["Xvfb", "xdotool"].every((name) => spawnSync("which", [name]).status === 0);

/** Methods of the package `x11` that only this test uses, as a window manager. */
type WindowManager = {
  CreateWindow(...args: readonly (number | object)[]): void;
  ChangeProperty(mode: 0, window: number, name: number, type: number, bits: 32, data: Buffer): void;
};
const cardinal = 6;

describe.runIf(hasX)("on an X server", () => {
  let server: ChildProcess;
  let display: string;
  const stops: (() => void)[] = [];

  beforeEach(async () => {
    server = spawn("Xvfb", ["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    display = `:${await new Promise<string>((resolve) => server.stdout?.once("data", (data) => resolve(String(data).trim())))}`;
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) stop();
    if (server.exitCode !== null || server.signalCode !== null) return;
    const gone = new Promise((resolve) => server.once("exit", resolve));
    server.kill();
    await gone;
  });

  const moveMouse = (x: number): void => {
    spawnSync("xdotool", ["mousemove", String(x), "10"], { env: { ...process.env, DISPLAY: display } });
  };
  const secondsOf = (idle: DesktopIdle): number => {
    const seconds = idle.sample();
    return seconds.known ? seconds.value : -1;
  };

  it("learns of quiet and of the first mouse movement from the X server's events", async () => {
    const idle = new DesktopIdle([x11Idle(display)], unknownIdle);
    let inputs = 0;
    const watch = new InputWatch(idle, () => (inputs += 1));
    idle.start(() => undefined);
    stops.push(() => idle.stop());
    await vi.waitFor(() => expect(idle.source()).toBe("the X server's idle counter"), soon);
    expect(idle.isPolled()).toBe(false);
    await vi.waitFor(() => expect(secondsOf(idle)).toBeGreaterThan(2), soon);
    watch.watch(true);
    moveMouse(10);
    await vi.waitFor(() => expect([inputs, secondsOf(idle)]).toEqual([1, 0]), soon);
    await vi.waitFor(() => expect(secondsOf(idle)).toBeGreaterThan(2), soon);
    moveMouse(20);
    await vi.waitFor(() => expect([inputs, secondsOf(idle)]).toEqual([2, 0]), soon);
    watch.watch(false);
  });

  it("uses the fallback when the X server ends", async () => {
    const fallback = { source: () => "fall-back", sample: () => known(7), isPolled: () => true };
    const idle = new DesktopIdle([x11Idle(display)], fallback);
    idle.start(() => undefined);
    stops.push(() => idle.stop());
    await vi.waitFor(() => expect(idle.source()).toBe("the X server's idle counter"), soon);
    server.kill();
    await vi.waitFor(() => expect([idle.source(), idle.sample()]).toEqual(["fall-back", known(7)]), soon);
  });

  it("does not open without an X server", async () => {
    const events = { quiet: () => undefined, input: () => undefined, lost: () => undefined };
    expect(await x11Idle(":7654").open(events)).toBeNull();
    expect(await x11Idle("no display").open(events)).toBeNull();
  });

  it("sees the active window fill the screen and leave it again", async () => {
    const manager = await openX11(display, () => undefined);
    if (manager === null) throw new Error("no connection");
    stops.push(() => manager.client.terminate());
    const client = manager.client as typeof manager.client & WindowManager;
    const atom = async (name: string): Promise<number> =>
      (await ask<number>((reply) => client.InternAtom(false, name, reply))) ?? 0;
    const [active, state, full] = [
      await atom("_NET_ACTIVE_WINDOW"),
      await atom("_NET_WM_STATE"),
      await atom("_NET_WM_STATE_FULLSCREEN"),
    ];
    const set = (window: number, name: number, ...values: readonly number[]): void => {
      client.ChangeProperty(0, window, name, cardinal, 32, Buffer.from(new Uint32Array(values).buffer));
    };
    const window = client.AllocID();
    client.CreateWindow(window, manager.root, 0, 0, 100, 100, 0, 0, 0, 0, {});

    const facts = gatherFacts({ idle: unknownIdle, others: [x11ScreenSensor(display)] });
    const needs = { facts: new Set(["fullScreen"] as const), programs: [], running: false };
    await facts.start(needs, () => undefined);
    stops.push(() => facts.stop());
    // No window manager has reported anything yet.
    expect(facts.read().fullScreen).toEqual(unknown);
    set(manager.root, active, window);
    await vi.waitFor(() => expect(facts.read().fullScreen).toEqual(known(false)), soon);
    set(window, state, full);
    await vi.waitFor(() => expect(facts.read().fullScreen).toEqual(known(true)), soon);
    set(window, state);
    await vi.waitFor(() => expect(facts.read().fullScreen).toEqual(known(false)), soon);
    set(window, state, full);
    await vi.waitFor(() => expect(facts.read().fullScreen).toEqual(known(true)), soon);
    set(manager.root, active, 0);
    await vi.waitFor(() => expect(facts.read().fullScreen).toEqual(known(false)), soon);
    expect(facts.readings().fullScreen.source).toBe("the X server");
  });
});
