import type { ChatMessage } from "../../app/jobs/chat.ts";
import { startDeployment } from "../../main/deployment.fixture.ts";

type FarmAnswer = {
  readonly tokens: number;
  readonly seconds: number;
  readonly promptTokens: number;
  readonly cachedPromptTokens: number;
};

/** A backend, a donor and its runner in separate processes, as in an office. */
type Farm = {
  /** Submits all chats at once, and waits for the last answer. */
  readonly run: (chats: readonly (readonly ChatMessage[])[], maxTokens: number) => Promise<FarmAnswer>;
  readonly stop: () => Promise<void>;
};

type FarmOptions = {
  readonly manifest: string;
  readonly threads: number;
  readonly sequences: number;
};

const nobodyThere = 9_999;
const answerWithinMs = 10 * 60_000;

export async function startFarm({ manifest, threads, sequences }: FarmOptions): Promise<Farm> {
  const deployment = await startDeployment({ manifest });
  await deployment.startDonor("bench", nobodyThere, undefined, {
    env: {
      GLEANER_THREADS: String(threads),
      GLEANER_SEQUENCES: String(sequences),
      // The same priority as the process for comparison. Another benchmark measures the runner's priority.
      GLEANER_TEST_PRIORITY: "normal",
    },
  });
  return {
    run: async (chats, maxTokens) => {
      const startedAt = performance.now();
      const jobs = await Promise.all(
        chats.map(async (messages) => {
          const sampling = { maxTokens, temperature: 0, topP: 1, seed: 1, stop: [] };
          const jobId = await deployment.submit({ messages, ...sampling });
          return deployment.until(jobId, ({ status }) => isOver(status), answerWithinMs);
        }),
      );
      const seconds = (performance.now() - startedAt) / 1_000;
      const sum = (of: (usage: NonNullable<(typeof jobs)[number]["usage"]>) => number): number =>
        jobs.reduce((total, { status, usage }) => {
          if (usage === null) throw new Error(`A job ended as ${status}.`);
          return total + of(usage);
        }, 0);
      return {
        seconds,
        tokens: sum((usage) => usage.completionTokens),
        promptTokens: sum((usage) => usage.promptTokens),
        cachedPromptTokens: sum((usage) => usage.cachedPromptTokens ?? 0),
      };
    },
    stop: deployment.stop,
  };
}

function isOver(status: string): boolean {
  return status !== "queued" && status !== "running";
}
