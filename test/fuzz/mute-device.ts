import { ConvexHttpClient } from "convex/browser";
import { workKinds } from "../../app/jobs/work.ts";
import { api } from "../../convex/_generated/api.js";
import { makeSigningKey, registrationOf } from "../../convex/testing/signing.fixture.ts";
import type { Farm } from "../../launch/farm/farm.ts";
import { makeSecret } from "../../launch/organization/secrets.ts";

/** Enrolls a device that says it donates and takes no job, so that calls wait. */
export async function addMuteDevice(farm: Farm): Promise<void> {
  const http = new ConvexHttpClient(farm.backend.url, { logger: false });
  const key = makeSecret("gd_");
  const { enrollmentCode: code } = farm.organization;
  const signingKey = registrationOf(makeSigningKey(), key);
  await http.mutation(api.devices.enroll, { code, key, name: "mute", platform: "linux-x64", signingKey });
  const capabilities = {
    kinds: [...workKinds],
    models: [farm.modelId],
    memoryMb: 8_192,
    contextTokens: 131_072,
    concurrency: 16,
  };
  await http.mutation(api.work.hello, { key, version: "0.1.0", capabilities, startup: false });
  await http.mutation(api.devices.report, { key, activity: { kind: "donating", reason: "idle" } });
}
