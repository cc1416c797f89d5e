import { generateKeyPairSync } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Handler, Worker } from "@gleaner/queue/worker";
import type { ConvexClient } from "convex/browser";
import * as z from "zod";
import { newestResultVersion } from "../../app/signatures/statements.ts";
import { api } from "../../convex/_generated/api.js";
import type { Farm } from "../../launch/farm/farm.ts";
import { readDemoModel } from "../../launch/organization/demo-model.ts";
import { makeSecret } from "../../launch/organization/secrets.ts";
import { Signer } from "../../main/donor/organization/signer.ts";
import { CountingClient } from "../fleet/counting-client.ts";

/**
 * A job of the benchmark, which its prompt names: answered at once, written for a while, or held until `release`. A text has
 * one token a word.
 */
export const tasks = {
  atOnce: "answer at once",
  write: (tokens: number, perSecond: number) => `write ${tokens} at ${perSecond}`,
  hold: "hold",
} as const;

/** A device of the farm that speaks the queue's protocol with the real worker, but has no model. */
export type StandIn = {
  /** The time at which the handler of a job began, ms since the epoch. */
  readonly startOf: (jobId: string) => number | undefined;
  /** Its jobs that wait for `release`. */
  readonly held: () => number;
  /** Answers the jobs that are held. */
  readonly release: () => void;
  /** The times at which the backend had accepted its answers, ms of `performance.now`. */
  readonly completedAt: readonly number[];
  readonly stop: () => Promise<void>;
};

const chat = z.object({ messages: z.array(z.object({ content: z.string() })).min(1) });
const completed = z.object({ kind: z.literal("completed") });
const writeTask = /^write (\d+) at (\d+)$/;
const version = "0.1.0";

export async function startStandIn(farm: Farm, concurrency: number): Promise<StandIn> {
  const completedAt: number[] = [];
  const client: ConvexClient = new CountingClient(farm.backend.url, ({ name, value }) => {
    if (name === "work:complete" && completed.safeParse(value).success) completedAt.push(performance.now());
  });
  const key = makeSecret("gd_");
  // With it, as from a donor, each answer gets a receipt.
  const { sha256 } = await readDemoModel(farm.modelFolder ?? undefined);
  const signer = new Signer(generateKeyPairSync("ed25519").privateKey);
  const enrolled = await client.mutation(api.devices.enroll, {
    code: await farm.setup.issueEnrollmentCode(farm.organization.organizationId, "stand-in"),
    key,
    name: "stand-in",
    platform: "linux-x64",
    signingKey: signer.registration(key),
  });
  if (enrolled.kind !== "enrolled") throw new Error(`The stand-in was not enrolled: ${enrolled.kind}`);
  const starts = new Map<string, number>();
  let held = 0;
  let release: () => void = () => undefined;
  let released = new Promise<void>((resolve) => (release = resolve));
  const answer: Handler = async (payload, { jobId, append, report, signal }) => {
    starts.set(jobId, Date.now());
    const task = chat.parse(payload).messages.at(-1)?.content ?? "";
    if (task === tasks.hold) {
      held += 1;
      await released;
      held -= 1;
    }
    const [, tokens = 2, perSecond = Infinity] = writeTask.exec(task)?.map(Number) ?? [];
    const startedAt = performance.now();
    let text = "";
    for (let token = 0; token < tokens && !signal.aborted; token += 1) {
      if (perSecond !== Infinity)
        await sleep(Math.max(0, startedAt + (token * 1_000) / perSecond - performance.now()));
      const word = token === 0 ? "word" : " word";
      append(word);
      text += word;
    }
    const generateMs = Math.max(1, Math.round(performance.now() - startedAt));
    report({
      usage: { promptTokens: 20, completionTokens: tokens },
      timing: { prefillMs: 1, generateMs },
      model: sha256,
    });
    return { text, finishReason: "stop" };
  };
  const worker = new Worker(client, {
    key,
    functions: api.work,
    handlers: {
      chat: signer.signed(answer, () => ({
        deviceId: enrolled.deviceId,
        resultVersion: newestResultVersion,
      })),
    },
    concurrency,
    capabilities: { models: [farm.modelId], memoryMb: 8_192, contextTokens: 131_072 },
    version,
  });
  worker.start();
  await client.mutation(api.devices.report, { key, activity: { kind: "donating", reason: "idle" } });
  return {
    startOf: (jobId) => starts.get(jobId),
    held: () => held,
    completedAt,
    release: () => {
      release();
      released = new Promise<void>((resolve) => (release = resolve));
    },
    stop: async () => {
      await worker.stop({ finishMs: 0, leaveMs: 1_000 });
      await client.close();
    },
  };
}
