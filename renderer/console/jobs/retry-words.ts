import type { RetryOutcome } from "../data/rows.ts";
import type { Said } from "../data/session-context.ts";

const words: Readonly<Record<RetryOutcome["kind"], Said>> = {
  ready: { words: "The job is ready again." },
  gone: { words: "What was asked is not kept any more, so it cannot be tried again.", tone: "bad" },
  "not-dead": { words: "The job was tried again already." },
  "quota-exceeded": { words: "Its API key has not enough credits left to try it again.", tone: "bad" },
  revoked: { words: "Its API key was revoked: nobody could read the answer.", tone: "bad" },
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
  if (more) return { words: "The jobs are being tried again, those first whose keys can pay." };
  if (started === 0) return { words: "None could be tried again: see each of them.", tone: "bad" };
  return { words: started === 1 ? "One job is ready again." : `${started} jobs are ready again.` };
}
