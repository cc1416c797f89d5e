import { assertNever } from "../assert-never.ts";
import type { ChatMessage } from "./chat.ts";
import type { Work } from "./work.ts";

/** Characters at the start of a prompt that identify it. */
const prefixChars = 1_024;

/**
 * A hash of the model, the cache's owner and the start of the prompt. A device that ran a job with the same hash may still
 * have the prompt in its cache. The hash does not reveal the prompt. Null for jobs that keep no cache.
 */
export function affinityOf(modelId: string, cacheOwner: string, work: Work): string | null {
  const prefix = prefixOf(work);
  if (prefix === null) return null;
  return `${modelId}:${hash32(`${cacheOwner}\n${prefix.slice(0, prefixChars)}`).toString(36)}`;
}

function prefixOf(work: Work): string | null {
  switch (work.kind) {
    case "chat":
      return beginningOf(work.request.messages);
    case "completion":
      return typeof work.request.prompt === "string" ? work.request.prompt : work.request.prompt.tokenIds;
    case "embedding":
    case "tokens":
      return null;
    default:
      return assertNever(work);
  }
}

/**
 * A chat's system messages and the first message after them. All turns of a conversation get the same affinity, and
 * so do all questions under one long system prompt.
 */
function beginningOf(messages: readonly ChatMessage[]): string {
  const afterSystem = messages.findIndex(({ role }) => role !== "system");
  const beginning = afterSystem === -1 ? messages : messages.slice(0, afterSystem + 1);
  return beginning.map(({ role, content }) => `${role}\n${content}`).join("\n\n");
}

/** FNV-1a over the UTF-16 units. Source: Fowler, Noll, Vo. */
function hash32(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193) >>> 0;
  }
  return hash;
}
