import { jobTimes } from "../../app/jobs/limits.ts";
import type { BodyParse } from "../../app/jobs/parse/parse-body.ts";
import { type Client, parseClient } from "../../app/jobs/parse/parse-client.ts";
import { parsePrefer, type Preference } from "../../app/jobs/parse/parse-prefer.ts";
import { parseNeeds } from "../../app/keys/parse-needs.ts";
import type { DeviceNeeds } from "../../app/keys/requirements.ts";
import { defaultAlias } from "../../app/models/aliases.ts";
import type { ModelView } from "../model/models/catalog.ts";
import { readBody } from "./body/readBody.ts";
import type { Caller } from "./endpoint.ts";
import { fromParse, needsHeader, unknownModel, wrongExpiry, wrongNeeds } from "./errors.ts";
import { namedModel } from "./namedModel.ts";
import type { ApiError } from "./respond.ts";

/** A parsed call and the model that it names. `alias`: undefined if it is the model's own name. */
export type Call<Asked> = {
  readonly asked: Asked;
  readonly model: ModelView;
  readonly alias: string | undefined;
  readonly idempotencyKey: string | null;
  /** How long its job may take, in ms; undefined: the default. */
  readonly expiresInMs: number | undefined;
  /** Its requirements on devices, in addition to those of its key. */
  readonly requires: DeviceNeeds;
  /** Whether and how long it waits for its answer. */
  readonly prefer: Preference;
  readonly client: Client;
};

/** Reads and parses the body of an admitted call, and finds its model among the caller's: by name, by alias, or by default. */
export async function readCall<Asked extends { readonly model: string | null }>(
  request: Request,
  caller: Caller,
  parse: (json: string) => BodyParse<Asked>,
): Promise<
  { readonly kind: "ok"; readonly call: Call<Asked> } | { readonly kind: "refused"; readonly error: ApiError }
> {
  const expiresIn = expiresInMs(request.headers.get(expiryHeader));
  if (expiresIn === null) return { kind: "refused", error: wrongExpiry(expiryHeader) };
  const needs = readNeeds(request);
  if (needs.kind === "refused") return needs;
  const { requires } = needs;
  const read = await readJson(request, parse);
  if (read.kind === "refused") return read;
  const { asked } = read;
  const name = asked.model ?? defaultAlias;
  const named = namedModel(caller, (each) => each === name);
  if (named === undefined) {
    return { kind: "refused", error: unknownModel(asked.model, caller.models) };
  }
  return {
    kind: "ok",
    call: {
      asked,
      model: named.model,
      alias: named.alias?.alias,
      idempotencyKey: request.headers.get("idempotency-key"),
      expiresInMs: expiresIn,
      requires,
      prefer: parsePrefer(request.headers.get("prefer") ?? ""),
      client: parseClient((header) => request.headers.get(header)),
    },
  };
}

/** Reads the header with the requirements of a call. */
export function readNeeds(
  request: Request,
):
  | { readonly kind: "ok"; readonly requires: DeviceNeeds }
  | { readonly kind: "refused"; readonly error: ApiError } {
  const requires = parseNeeds(request.headers.get(needsHeader) ?? "");
  return typeof requires === "string"
    ? { kind: "refused", error: wrongNeeds(requires) }
    : { kind: "ok", requires };
}

/** Reads and parses the body of an admitted call. */
export async function readJson<Asked>(
  request: Request,
  parse: (json: string) => BodyParse<Asked>,
): Promise<
  { readonly kind: "ok"; readonly asked: Asked } | { readonly kind: "refused"; readonly error: ApiError }
> {
  const body = await readBody(request);
  if (body.kind === "refused") return body;
  const parsed = parse(body.text);
  return parsed.kind === "refused"
    ? { kind: "refused", error: fromParse(parsed.refusal) }
    : { kind: "ok", asked: parsed.asked };
}

/** Whole seconds after which the job expires if it has not ended. */
const expiryHeader = "Gleaner-Expires-In";

/** The header's value in ms; undefined without the header, null if it is wrong. */
function expiresInMs(header: string | null): number | null | undefined {
  if (header === null) return undefined;
  const ms = /^\d{1,7}$/.test(header) ? 1_000 * Number(header) : 0;
  return ms >= jobTimes.leastMs && ms <= jobTimes.mostMs ? ms : null;
}
