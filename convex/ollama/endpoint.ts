import type { BodyParse } from "../../app/jobs/parse/parse-body.ts";
import { type ActionCtx, httpAction } from "../_generated/server.js";
import { answerCaller, type Caller } from "../openai/endpoint.ts";
import { namedModel } from "../openai/namedModel.ts";
import { type Call, readCall } from "../openai/readCall.ts";
import {
  type ApiError,
  errorBody,
  type ErrorFields,
  errorFieldsOf,
  errorResponse,
} from "../openai/respond.ts";

type Answer = Parameters<typeof answerCaller>[2];

/** An endpoint of Ollama's API. Its errors have Ollama's form. */
export function ollamaEndpoint(answer: Answer) {
  return httpAction(
    async (ctx: ActionCtx, request) => await inOllamaForm(await answerCaller(ctx, request, answer)),
  );
}

/** An answer with OpenAI's error, in Ollama's form. Other answers stay as they are. */
export async function inOllamaForm(response: Response): Promise<Response> {
  if (response.status < 400) return response;
  const { status, headers } = response;
  return new Response(JSON.stringify(ofFields(await errorFieldsOf(response))), { status, headers });
}

export function ollamaError(error: ApiError): object {
  const { error: fields } = errorBody(error) as { readonly error: ErrorFields };
  return ofFields(fields);
}

/** Ollama's error is a text. Our code and the wrong field are beside it. */
function ofFields({ message, code, param }: ErrorFields): object {
  return { error: message, code, param };
}

type Named = { readonly model: string | null };

/** Reads the body of an admitted call, and answers it or says why it is refused. */
export async function answerRead<Asked extends Named>(
  request: Request,
  caller: Caller,
  parse: (json: string) => BodyParse<Asked>,
  answer: (call: Call<Asked>) => Promise<Response> | Response,
): Promise<Response> {
  const read = await readCall(request, caller, (body) => {
    const parsed = parse(body);
    if (parsed.kind === "refused") return parsed;
    return { kind: "parsed", asked: { ...parsed.asked, model: untagged(parsed.asked.model, caller) } };
  });
  return read.kind === "refused" ? errorResponse(read.error) : await answer(read.call);
}

const tag = ":latest";

/** Some clients add a tag to each name of a model that has none. */
function untagged(name: string | null, caller: Caller): string | null {
  if (name?.endsWith(tag) !== true || namedModel(caller, (each) => each === name) !== undefined) return name;
  return name.slice(0, -tag.length);
}
