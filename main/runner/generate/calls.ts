import type { LlamaContextSequence, Token } from "node-llama-cpp";
import { jobErrors } from "../../../app/contract/job-errors.ts";
import type { RequestStep } from "../../../app/contract/runner.ts";
import { askedAgain, holdsCall, mostTries } from "../../../app/jobs/answers/answer-checks.ts";
import {
  callableTools,
  type ChatRequest,
  type JobError,
  mostCalls,
  type ToolCall,
} from "../../../app/jobs/chat.ts";
import type { Sampling } from "../../../app/jobs/sampling.ts";
import { needsCheck } from "../../../app/jobs/schema/checks.ts";
import { callIdOf, type StreamItem } from "../../../app/jobs/stream-item.ts";
import type { LoadedModel } from "../load/load-model.ts";
import type { Enforced } from "./grammars.ts";
import { argumentsGrammar, beginsCall, type CallSyntax, nameGrammar } from "./tool-call.ts";
import type { PassageEnd, Writer } from "./writer.ts";

type Failure = { readonly kind: "failed"; readonly error: JobError };

/** How a tool call ended. `cut`: its arguments are not complete. */
type CallEnd = { readonly kind: "called" | "cut"; readonly call: ToolCall } | Failure;

/** How the tool calls of an answer ended. `cut`: the last one is not complete. */
export type CallsEnd = { readonly kind: "called" | "cut"; readonly calls: readonly ToolCall[] } | Failure;

type CallWriterDeps = {
  readonly writer: Writer;
  readonly sequence: LlamaContextSequence;
  readonly loaded: LoadedModel;
  readonly request: ChatRequest;
  /** The answers that were written before this one. */
  readonly tries: number;
  readonly jobId: string;
  readonly emit: (text: string, items: readonly StreamItem[]) => void;
  readonly step: (step: RequestStep | null) => void;
};

/** Writes the tool calls of an answer, one after the other. */
export class CallWriter {
  readonly #deps: CallWriterDeps;

  constructor(deps: CallWriterDeps) {
    this.#deps = deps;
  }

  /**
   * Writes calls as long as the model begins another one.
   * @param begin tokens that begin the first call and are not read yet.
   * @param knownName the name of the first call, if the text before it has shown it.
   */
  async write(begin: readonly Token[], syntax: CallSyntax, knownName = ""): Promise<PassageEnd | CallsEnd> {
    const calls: ToolCall[] = [];
    let fed = begin;
    let name = knownName;
    for (;;) {
      const end = await this.#call(fed, syntax.beforeArguments, { name, index: calls.length });
      // The bound of tokens may cut the name of a call.
      if (end.kind === "length" && calls.length > 0) return { kind: "cut", calls };
      if (!("call" in end)) return end;
      calls.push(end.call);
      if (end.kind === "cut") return { kind: "cut", calls };
      const next = calls.length < mostCalls(this.#deps.request) ? await this.#beginNext(syntax) : null;
      if (next === null) return { kind: "called", calls };
      fed = next;
      name = "";
    }
  }

  /**
   * Lets the model go on after a call, to see whether it begins another one. Nobody pays for these tokens: they are dropped, and
   * the template's own take their place. Returns these, which are not read yet; null if there is no other call.
   */
  async #beginNext({ next }: CallSyntax): Promise<readonly Token[] | null> {
    if (next === null) return null;
    const fed = [...(await this.#unreadEnd()), ...next.end];
    const before = this.#deps.writer.mark();
    let text = "";
    await this.#deps.writer.write(fed, {
      enforced: null,
      stopTexts: [],
      stopTokens: new Set(),
      reported: false,
      emit: (piece) => (text += piece),
      until: () => beginsCall(text, next) !== null,
    });
    await this.#deps.writer.dropFrom(before);
    return beginsCall(text, next) === true ? [...fed, ...next.begin] : null;
  }

  /** The tokens to read before others can follow: at least the last one, which is taken out of the sequence if it is there. */
  async #unreadEnd(): Promise<readonly Token[]> {
    const { writer, loaded, sequence } = this.#deps;
    const { unread } = writer;
    if (unread !== null) return [unread];
    const last = sequence.contextTokens.slice(-1);
    await loaded.batches.eraseFrom(sequence, sequence.nextTokenIndex - 1);
    return last;
  }

  /**
   * Writes the name and the arguments of a call.
   * @param begin tokens that begin it and are not read yet.
   * @param place.name "" if it is not known.
   */
  async #call(
    begin: readonly Token[],
    beforeArguments: readonly Token[],
    place: { readonly name: string; readonly index: number },
  ): Promise<PassageEnd | CallEnd> {
    const { step, loaded, request, emit, jobId } = this.#deps;
    const { llama, model } = loaded;
    const tools = callableTools(request);
    let name = place.name === "" && tools.length === 1 ? (tools[0]?.name ?? "") : place.name;
    let fed = begin;
    if (name === "") {
      const end = await this.#writeSilently(fed, await nameGrammar(llama, tools), (text) => (name += text));
      if (end.kind !== "ended") return end;
      fed = await this.#unreadEnd();
    } else {
      fed = [...fed, ...model.tokenize(name)];
    }
    const tool = tools.find((each) => each.name === name);
    step("grammar");
    const enforced = tool === undefined ? null : await argumentsGrammar(llama, tool);
    step(null);
    if (enforced === null) return { kind: "failed", error: jobErrors.invalidGrammar };
    const call = { id: callIdOf(jobId, place.index), name };
    emit("", [{ call }]);
    return await this.#arguments([...fed, ...beforeArguments], enforced, call);
  }

  /**
   * Writes the arguments of a call until they hold what no grammar enforces. The text before the call stays as it is. Arguments
   * that may have to be written again are not streamed.
   */
  async #arguments(
    fed: readonly Token[],
    enforced: Enforced,
    begun: Pick<ToolCall, "id" | "name">,
  ): Promise<PassageEnd | CallEnd> {
    const { step, request, writer, tries: before } = this.#deps;
    const parameters = request.tools?.find((tool) => tool.name === begun.name)?.parameters;
    const isStreamed = parameters === undefined || !needsCheck(parameters);
    const start = writer.mark();
    for (let tries = before; tries < mostTries; tries += 1) {
      let json = "";
      let blanks = "";
      const emit = (text: string): void => {
        json += text;
        if (!isStreamed) return;
        // Blanks at the end do not belong to the arguments.
        const solid = (blanks + text).trimEnd();
        blanks = (blanks + text).slice(solid.length);
        if (solid !== "") this.#deps.emit("", [{ arguments: solid }]);
      };
      const sampling = askedAgain(request, tries - before);
      const end = await this.#writeSilently(fed, enforced, emit, sampling);
      if (end.kind === "aborted" || end.kind === "too-slow") return end;
      // The requester pays for the tokens of a call that was cut, so it gets them.
      if (end.kind === "length") return { kind: "cut", call: { ...begun, arguments: json } };
      const call = { ...begun, arguments: json.trim() };
      step("check");
      const isHeld = holdsCall(call, request);
      step(null);
      if (isHeld) return { kind: "called", call };
      await writer.dropFrom(start);
    }
    return { kind: "failed", error: jobErrors.schemaNotMet };
  }

  /** Writes tokens that are not part of the answer's text. */
  #writeSilently(
    fed: readonly Token[],
    enforced: Enforced,
    emit: (text: string) => void,
    sampling?: Sampling,
  ): Promise<PassageEnd> {
    return this.#deps.writer.write(fed, {
      ...(sampling === undefined ? {} : { sampling }),
      enforced,
      stopTexts: [],
      stopTokens: new Set(),
      reported: false,
      emit,
    });
  }
}
