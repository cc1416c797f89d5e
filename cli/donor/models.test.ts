import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { models } from "./models.ts";

it("names the command for requesters where no donor runs", async () => {
  const data = await mkdtemp(join(tmpdir(), "gleaner-models-"));
  onTestFinished(() => rm(data, { recursive: true }));
  await expect(models.run(["--data", data])).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringMatching(/No donor runs here[^]*gleaner catalog/),
  });
});
