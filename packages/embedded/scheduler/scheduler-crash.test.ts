import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startScheduling } from "../compose/start-scheduling.ts";
import { openEngine } from "../engine/engine.ts";
import { openFixture } from "../runtime/runtime.fixture.ts";
import { eventually, states } from "./scheduling.fixture.ts";

const count = 1_000;
const script = fileURLToPath(new URL("./scheduler-crash.fixture.ts", import.meta.url));

test("each scheduled mutation takes effect exactly once, even if the process is killed meanwhile", async () => {
  const folder = await mkdtemp(join(tmpdir(), "scheduler-"));
  const path = join(folder, "data.sqlite");
  const child = spawn(process.execPath, [script, path, String(count)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  await new Promise((resolve) => setTimeout(resolve, 15));
  child.kill("SIGKILL");
  await once(child, "exit");

  const fixture = await openFixture({ engine: openEngine({ path }) });
  const before = await states(fixture);
  expect(before).toHaveLength(count);
  // Otherwise the kill came after all work was done.
  expect(before).toContain("pending");
  const { close: stop } = await startScheduling({
    engine: fixture.engine,
    runtime: { scheduled: fixture.runner.scheduled, crons: [], componentPaths: [""] },
    onError: (error) => expect.unreachable(String(error)),
  });
  await eventually(async () => expect(new Set(await states(fixture))).toEqual(new Set(["success"])), 45_000);
  const notes = (await fixture.call("notes:byRank", { from: 7, to: 8 })) as { text: string }[];
  expect(notes).toHaveLength(count);
  expect(new Set(notes.map(({ text }) => text)).size).toBe(count);
  await stop();
  await fixture.engine.close();
  await rm(folder, { recursive: true });
});
