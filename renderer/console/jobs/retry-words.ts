import type { RetryOutcome } from "../data/rows.ts";
import type { Said } from "../data/session-context.ts";

const words: Readonly<Record<RetryOutcome["kind"], Said>> = {
  ready: { words: "The job is ready again." },
  gone: { words: "The request is no longer stored, so it can't be retried.", tone: "bad" },
  "not-dead": { words: "The job was already retried." },
  "quota-exceeded": { words: "Its API key has too few credits left to retry it.", tone: "bad" },
  revoked: { words: "Its API key was revoked, so nobody could read the answer.", tone: "bad" },
};

export function saidOfRetry({ kind }: RetryOutcome): Said {
  return words[kind];
}

export function saidOfRetryAll({
  started,
  more,
}: {
  readonly started: number;
  readonly more: boolean;
}): Said {
  if (more) return { words: "The jobs are being retried, starting with those whose keys can pay." };
  if (started === 0) return { words: "No job could be retried. Open each job for its reason.", tone: "bad" };
  return { words: started === 1 ? "One job is ready again." : `${started} jobs are ready again.` };
}
