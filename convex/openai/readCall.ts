import { limits } from "../../app/jobs/limits.ts";
import type { BodyParse } from "../../app/jobs/parse-body.ts";
import type { ModelView } from "../model/models/catalog.ts";
import { bodyTooLarge, fromParse, unknownModel } from "./errors.ts";
import type { ApiError } from "./respond.ts";

/** A parsed call and the model that it names. */
export type Call<Asked> = {
  readonly asked: Asked;
  readonly model: ModelView;
  readonly idempotencyKey: string | null;
};

/** Reads and parses the body of an admitted call, and finds its model among the caller's. */
export async function readCall<Asked extends { readonly model: string }>(
  request: Request,
  models: readonly ModelView[],
  parse: (json: string) => BodyParse<Asked>,
): Promise<
  { readonly kind: "ok"; readonly call: Call<Asked> } | { readonly kind: "refused"; readonly error: ApiError }
> {
  const json = await readBody(request, limits.bodyBytes);
  if (json === null) return { kind: "refused", error: bodyTooLarge };
  const parsed = parse(json);
  if (parsed.kind === "refused") return { kind: "refused", error: fromParse(parsed.refusal) };
  const { asked } = parsed;
  const model = models.find(({ modelId }) => modelId === asked.model);
  if (model === undefined) return { kind: "refused", error: unknownModel(asked.model) };
  return { kind: "ok", call: { asked, model, idempotencyKey: request.headers.get("idempotency-key") } };
}

/** The body as text. It stops reading at `maxBytes` and returns null for more. */
async function readBody(request: Request, maxBytes: number): Promise<string | null> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) return null;
  if (request.body === null) return "";
  const reader = request.body.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}
