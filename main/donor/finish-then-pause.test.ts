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

it("pauses where that was asked for, ends a donate-now, and does it once", async () => {
  const settings = await openSettings(path, silentLog);
  await settings.change({ finishThenPause: true, donateNowUntil: 17 });
  expect(pauseIfRequested(settings, silentLog)).toBe(true);
  const paused = { finishThenPause: false, donateNowUntil: null, pause: { until: null } };
  expect(settings.current()).toMatchObject(paused);
  expect(pauseIfRequested(settings, silentLog)).toBe(false);
  await vi.waitFor(async () => expect((await openSettings(path, silentLog)).current()).toMatchObject(paused));
});

it("leaves all as it is where nobody asked", async () => {
  const settings = await openSettings(path, silentLog);
  await settings.change({ donateNowUntil: 17 });
  expect(pauseIfRequested(settings, silentLog)).toBe(false);
  expect(settings.current()).toMatchObject({ donateNowUntil: 17, pause: null });
});

it("pauses for now, and says so, where the disk refuses", async () => {
  const settings = await openSettings(path, silentLog);
  await settings.change({ finishThenPause: true });
  await rm(path);
  // A folder in the file's place: it cannot be written.
  await mkdir(join(path, "in the way"), { recursive: true });
  const said: string[] = [];
  const log: Log = (_level, event) => void said.push(event);
  expect(pauseIfRequested(settings, log)).toBe(true);
  expect(settings.current().pause).toEqual({ until: null });
  await vi.waitFor(() => expect(said).toEqual(["settings.not-saved"]));
});
