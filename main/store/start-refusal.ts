import { sayStartSentence, type StartSentence } from "../../app/contract/sentences/start-sentences.ts";

/** The program cannot start. The message tells its person what to do, in English. */
export class StartRefusal extends Error {
  override readonly name = "StartRefusal";
  /** The same for a dialog in another language. */
  readonly sentence: StartSentence;

  constructor(sentence: StartSentence, options?: ErrorOptions) {
    super(sayStartSentence(sentence), options);
    this.sentence = sentence;
  }
}
