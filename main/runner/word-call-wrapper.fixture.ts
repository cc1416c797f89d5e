import {
  ChatMLChatWrapper,
  type ChatWrapper,
  type ChatWrapperGenerateContextStateOptions,
  LlamaText,
} from "node-llama-cpp";

/**
 * The demo model was never trained to call a tool. So this wrapper does not show it the tools, and a call begins with
 * words that the model is known to write.
 */
export class WordCallWrapper extends ChatMLChatWrapper {
  override readonly settings: ChatWrapper["settings"];

  /** @param suffix ends a call. If it is given, others may follow. */
  constructor(prefix: string | LlamaText, prefixAlternateMatches: string[] = [], suffix?: LlamaText) {
    super();
    this.settings = {
      ...new ChatMLChatWrapper().settings,
      functions: {
        call: {
          optionalPrefixSpace: true,
          prefix,
          prefixAlternateMatches,
          paramsPrefix: LlamaText("("),
          suffix: suffix ?? ")",
        },
        result: { prefix: "", suffix: "" },
        ...(suffix === undefined ? {} : { parallelism: { call: { sectionPrefix: "" } } }),
      },
    };
  }

  override generateContextState({ chatHistory }: ChatWrapperGenerateContextStateOptions) {
    return super.generateContextState({ chatHistory });
  }
}
