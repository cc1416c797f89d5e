import { parseOllamaShow } from "../../app/jobs/parse/ollama/ollama-models.ts";
import type { ActionCtx } from "../_generated/server.js";
import type { Caller } from "../openai/endpoint.ts";
import { allNamed, type NamedModel } from "../openai/namedModel.ts";
import { type ApiError, json } from "../openai/respond.ts";
import { answerRead } from "./endpoint.ts";

/** GET /api/tags: the models, and then the other names for them. */
export async function listTags(_ctx: ActionCtx, _request: Request, caller: Caller): Promise<Response> {
  return await Promise.resolve(json(200, { models: allNamed(caller).map(tagBody) }));
}

function tagBody({ model, alias }: NamedModel): object {
  const name = alias?.alias ?? model.modelId;
  return {
    name,
    model: name,
    modified_at: isoTime((alias ?? model).createdAt),
    size: model.sizeBytes,
    digest: model.sha256,
    details: detailsOf(model.modelId, alias !== null),
  };
}

/** The catalog does not keep the family, the number of parameters and the quantization of a model. */
function detailsOf(modelId: string, isAlias: boolean): object {
  const parent_model = isAlias ? modelId : "";
  return {
    parent_model,
    format: "gguf",
    family: "",
    families: [],
    parameter_size: "",
    quantization_level: "",
  };
}

/** POST /api/show. */
export async function showModel(_ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  return await answerRead(request, caller, parseOllamaShow, ({ model, alias }) =>
    json(200, {
      license: model.licence,
      modified_at: isoTime(model.createdAt),
      details: detailsOf(model.modelId, alias !== undefined),
      // Clients look for the field that ends so. Its beginning is the architecture, which the catalog does not keep.
      model_info: { "gleaner.context_length": model.contextTokens },
      // Every model can be asked for each of them.
      capabilities: ["completion", "tools", "embedding"],
    }),
  );
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** The version of Ollama whose API this is. Clients ask for it to learn which fields they may send. */
const ollamaVersion = "0.40.12";

/** GET /api/version. */
export async function version(): Promise<Response> {
  return await Promise.resolve(json(200, { version: ollamaVersion }));
}

type Unsupported = {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly error: ApiError;
};

function refusal(method: Unsupported["method"], path: string, message: string): Unsupported {
  return {
    method,
    path,
    error: { status: 403, type: "invalid_request_error", code: "unsupported_call", message },
  };
}

const catalog = "An administrator adds, changes and retires models on the console's page Models.";

/** Calls of Ollama's API that are refused, each with a sentence. */
export const unsupportedCalls: readonly Unsupported[] = [
  refusal("POST", "/api/pull", `Models cannot be pulled here. ${catalog}`),
  refusal("POST", "/api/push", `Models cannot be pushed here. ${catalog}`),
  refusal("POST", "/api/create", `Models cannot be created here. ${catalog}`),
  refusal(
    "POST",
    "/api/copy",
    `Models cannot be copied here. ${catalog} An alias gives a model another name.`,
  ),
  refusal("DELETE", "/api/delete", `Models cannot be deleted here. ${catalog}`),
  refusal(
    "GET",
    "/api/ps",
    "Devices load and unload models by themselves. The console's page Devices shows them.",
  ),
];
