import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { models } from "./models.ts";
import { serve } from "./server.fixture.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it("lists models with their contexts and other names, also those of a server that tells no context", async () => {
  const data = [
    { id: "small", object: "model", context_length: 4_096 },
    { id: "default", object: "model", context_length: 4_096, root: "small" },
    { id: "foreign", object: "model" },
  ];
  const server = await serve((_, response) => void response.end(JSON.stringify({ object: "list", data })));
  onTestFinished(() => void server.close());
  const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
  await models.run([]);
  expect(printed.mock.calls).toEqual([
    ["small    4,096 tokens\ndefault  4,096 tokens  another name for small\nforeign"],
  ]);
});

it.each(["remove", "fetch"])("names the donor's command for `models %s`", async (action) => {
  await expect(models.run([action, "small", "--data", "folder"])).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining(`gleaner downloads ${action} MODEL`),
  });
});

it("names the donor's command where nobody is logged in", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gleaner-models-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  // The command keeps its login here, also if it is run on a Mac or on Windows.
  for (const name of ["XDG_CONFIG_HOME", "APPDATA", "HOME"]) vi.stubEnv(name, folder);
  for (const of of ["BASE_URL", "API_KEY"])
    for (const name of ["GLEANER", "OPENAI"]) vi.stubEnv(`${name}_${of}`, undefined);
  await expect(models.run([])).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(/not logged in[^]*gleaner login[^]*gleaner downloads/),
  });
});
