/** Messages to the process that uses only the library. */
export type DirectTask = {
  readonly file: string;
  readonly prompts: readonly string[];
  readonly maxTokens: number;
  readonly sequences: number;
  readonly contextTokens: number;
  readonly threads: number;
};

export type DirectAnswer = { readonly tokens: number; readonly seconds: number };
