import type { Value } from "convex/values";
import type { Handler, JobContext } from "./contract/handler.ts";
import { JobFailure } from "./job-failure.ts";

type Issue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};
type Parsed<Payload> =
  { readonly value: Payload; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** The part of a Standard Schema (zod, Valibot, ArkType, …) that is used here. */
type Schema<Payload> = {
  readonly "~standard": {
    readonly validate: (payload: unknown) => Parsed<Payload> | Promise<Parsed<Payload>>;
  };
};

/** A handler of payloads that fit a schema. A job with another payload fails for good: every worker would refuse it. */
export function parsing<Payload>(
  schema: Schema<Payload>,
  handler: (payload: Payload, ctx: JobContext) => Promise<Value>,
): Handler {
  return async (payload, ctx) => {
    const parsed = await schema["~standard"].validate(payload);
    if (parsed.issues === undefined) return await handler(parsed.value, ctx);
    throw new JobFailure("invalid", described(parsed.issues), { retryable: false });
  };
}

function described(issues: readonly Issue[]): string {
  const [first] = issues;
  const path = (first?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part));
  return `The payload does not fit this kind of job: ${[...path, first?.message ?? ""].join(": ")}`;
}
