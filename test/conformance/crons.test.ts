import { expect, test } from "vitest";
import { api } from "../../packages/embedded/test-app.fixture.ts";
import { liveClient } from "./deployment.ts";
import { watch } from "./watch.ts";

test("a cron with an interval runs repeatedly", async () => {
  const seen = watch(liveClient(), api.counters.get, { name: "cron" });
  const first = await seen.until(() => true);
  expect(await seen.until((count) => count >= first + 2)).toBeGreaterThanOrEqual(first + 2);
});
