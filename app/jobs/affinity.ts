import type { ChatMessage } from "./chat.ts";

/** Characters of the prompt that tell its prefix. */
const prefixChars = 1_024;

/**
 * What a chat job has in common with those whose prompts a device may still have in its cache: the model, and how the
 * prompt begins, which is its system messages and the first message after them. So all turns of a conversation have
 * one affinity, and so have all questions under one long system prompt. A hash: it does not tell the prompt.
 */
export function affinityOf(modelId: string, messages: readonly ChatMessage[]): string {
  const afterSystem = messages.findIndex(({ role }) => role !== "system");
  const beginning = afterSystem === -1 ? messages : messages.slice(0, afterSystem + 1);
  const prefix = beginning.map(({ role, content }) => `${role}\n${content}`).join("\n\n");
  return `${modelId}:${hash32(prefix.slice(0, prefixChars)).toString(36)}`;
}

/** FNV-1a over the UTF-16 units. Source: Fowler, Noll, Vo. */
function hash32(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193) >>> 0;
  }
  return hash;
}
