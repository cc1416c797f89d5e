/** The kinds of jobs in words. Other kinds have only their name, which apps choose. */
const words: Readonly<Partial<Record<string, string>>> = {
  chat: /* @wc-include */ "chat",
  completion: /* @wc-include */ "completion",
  embedding: /* @wc-include */ "embedding",
  tokens: /* @wc-include */ "tokens",
  replay: /* @wc-include */ "check of an answer",
};

export function kindWords(kind: string): string {
  return Object.hasOwn(words, kind) ? (words[kind] ?? kind) : kind;
}
