import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { done, refused } from "../../app/contract/donor-calls.ts";
import { answerCalls } from "../../main/face/answer-call.ts";
import { fakeHandlers } from "../../main/face/handlers.fixture.ts";
import { serveLocalSocket } from "../../main/face/local-socket/server.ts";
import { silentLog } from "../../main/log.ts";
import { askDonor } from "./ask.ts";

it("distinguishes an empty answer, a refusal and a missing donor", async () => {
  const data = await mkdtemp(join(tmpdir(), "gleaner-ask-"));
  onTestFinished(() => rm(data, { recursive: true }));
  const flags = { data, json: false };
  await expect(askDonor(flags, "resume", null)).rejects.toMatchObject({ exitCode: 3 });
  const handlers = fakeHandlers({ resume: () => done, finishThenPause: () => refused("No.") });
  const server = await serveLocalSocket(data, answerCalls("terminal", handlers, silentLog), silentLog);
  onTestFinished(() => server.close());
  expect(await askDonor(flags, "resume", null)).toBeNull();
  await expect(askDonor(flags, "finishThenPause", null)).rejects.toMatchObject({
    exitCode: 1,
    message: "No.",
  });
});

it("waits for a donor that is starting, and not for one that has ended", async () => {
  const data = await mkdtemp(join(tmpdir(), "gleaner-ask-"));
  onTestFinished(() => rm(data, { recursive: true }));
  // Another process that runs has the folder.
  const lock = join(data, "gleaner.lock");
  await writeFile(
    lock,
    JSON.stringify({ pid: process.ppid, processStart: null, at: Date.now(), nonce: "x" }),
  );
  const asked = askDonor({ data, json: false }, "resume", null);
  // The first try has found nothing by then.
  await sleep(300);
  const handlers = fakeHandlers({ resume: () => done });
  const server = await serveLocalSocket(data, answerCalls("terminal", handlers, silentLog), silentLog);
  expect(await asked).toBeNull();
  await server.close();
  await rm(lock);
  await expect(askDonor({ data, json: false }, "resume", null)).rejects.toMatchObject({ exitCode: 3 });
});
