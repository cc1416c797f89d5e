import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Log, silentLog } from "../log.ts";
import { pauseIfRequested } from "./finish-then-pause.ts";
import { openSettings } from "./settings.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-pause-"));
  path = join(folder, "settings.json");
});
afterEach(() => rm(folder, { recursive: true }));

it("pauses once if that was requested, and ends a donate-now", async () => {
  const settings = await openSettings(path, silentLog);
  await settings.change({ finishThenPause: true, donateNowUntil: 17 });
  expect(pauseIfRequested(settings, silentLog)).toBe(true);
  const paused = { finishThenPause: false, donateNowUntil: null, pause: { until: null } };
  expect(settings.current()).toMatchObject(paused);
  expect(pauseIfRequested(settings, silentLog)).toBe(false);
  await vi.waitFor(async () => expect((await openSettings(path, silentLog)).current()).toMatchObject(paused));
});

it("changes no setting if no pause was requested", async () => {
  const settings = await openSettings(path, silentLog);
  await settings.change({ donateNowUntil: 17 });
  expect(pauseIfRequested(settings, silentLog)).toBe(false);
  expect(settings.current()).toMatchObject({ donateNowUntil: 17, pause: null });
});

it("pauses and logs it if the disk refuses the change", async () => {
  const settings = await openSettings(path, silentLog);
  await settings.change({ finishThenPause: true });
  await rm(path);
  // A folder takes the place of the file, so it cannot be written.
  await mkdir(join(path, "in the way"), { recursive: true });
  const said: string[] = [];
  const log: Log = (_level, event) => void said.push(event);
  expect(pauseIfRequested(settings, log)).toBe(true);
  expect(settings.current().pause).toEqual({ until: null });
  await vi.waitFor(() => expect(said).toEqual(["settings.not-saved"]));
});
