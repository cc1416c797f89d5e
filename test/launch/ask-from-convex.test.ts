import { join, resolve } from "node:path";
import { ConvexClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { start, type Started } from "../../main/deployment.fixture.ts";

/** The Convex app of the example, on a backend of its own, asks a running Gleaner from its action. */
const root = resolve(import.meta.dirname, "../..");
const add = makeFunctionReference<"mutation", { text: string }, string>("letters:add");
const moods = makeFunctionReference<"query", Record<string, never>, (string | null)[]>("letters:moods");

let farm: Farm;
let app: Started;
let client: ConvexClient;

beforeAll(async () => {
  farm = await startFarm();
  await farm.startDonor("reader");
  app = await start(
    [
      join(root, "packages/embedded/main.ts"),
      ...["--convex", join(root, "examples/ask-from-convex/convex")],
      ...["--data", join(farm.folder.logFolder, "letters.sqlite"), "--port", "0", "--site-port", "0"],
      ...["GLEANER_URL", "GLEANER_API_KEY", "GLEANER_MODEL"].flatMap((name) => ["--pass-env", name]),
      "--with-parent",
    ],
    {
      CONVEX_EMBEDDED_ADMIN_KEY: "letters|admin",
      GLEANER_URL: farm.backend.siteUrl,
      GLEANER_API_KEY: farm.organization.apiKey,
      GLEANER_MODEL: farm.modelId,
    },
  );
  client = new ConvexClient(String(app.ready["url"]));
});
afterAll(async () => {
  await client.close();
  app.process.kill();
  await farm.close();
});

test("a letter gets its mood from a laptop", async () => {
  const seen = new Promise<string>((found) => {
    client.onUpdate(moods, {}, ([mood]) => {
      if (mood != null) found(mood);
    });
  });
  await client.mutation(add, {
    text: "Their website is really helpful. Not bad, the keyboard is comfortable.",
  });
  const failed = app.exited.then(() => app.lines.join("\n"));
  expect(await Promise.race([seen, failed])).toMatch(/positive/i);
});
