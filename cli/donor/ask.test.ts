import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
