import type * as z from "zod";
import { type Body, bounds, envelope, request } from "./messages.ts";
import { type ClusterNode, error } from "./node.ts";

/** Answers one message with one line: in an envelope if the request had one, else as a bare body. */
export function reply(node: ClusterNode, line: string): string {
  const { body, wrap } = opened(line);
  if (body === null) return JSON.stringify(wrap(error("malformed", "A message is one JSON object.")));
  const parsed = request.safeParse(body);
  const answer = parsed.success
    ? node.answer(parsed.data)
    : isKnown(body["type"])
      ? error("malformed", explained(parsed.error))
      : error("unknown_type", "type is one of init, steal_job, run_simulation and check_cluster_state.");
  return JSON.stringify(wrap(repliesTo(body["msg_id"], answer)));
}

export function tooLong(): string {
  return JSON.stringify(error("too_long", `A message has at most ${bounds.messageBytes} bytes.`));
}

export function broken(reason: string): string {
  return JSON.stringify(error("malformed", reason));
}

type Opened = {
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly wrap: (answer: Body) => unknown;
};

function opened(line: string): Opened {
  const bare = (answer: Body) => answer;
  const value = parsedJson(line);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { body: null, wrap: bare };
  if (!("body" in value)) return { body: { ...value }, wrap: bare };
  const { src, dest } = { ...value } as Readonly<Record<string, unknown>>;
  const wrap = (answer: Body) => ({ ...address("src", dest), ...address("dest", src), body: answer });
  const message = envelope.safeParse(value);
  return { body: message.success ? message.data.body : null, wrap };
}

/** The answer has the request's addresses even if the rest of the request is malformed. */
function address(field: "src" | "dest", value: unknown): Readonly<Record<string, string>> {
  return typeof value === "string" && value.length <= bounds.name ? { [field]: value } : {};
}

function parsedJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** `in_reply_to` after the type, as in the protocol's examples. */
function repliesTo(msgId: unknown, { type, ...rest }: Body): Body {
  const known = typeof msgId === "number" || typeof msgId === "string";
  return known ? { type, in_reply_to: msgId, ...rest } : { type, ...rest };
}

function isKnown(type: unknown): boolean {
  return request.options.some(({ shape }) => shape.type.value === type);
}

function explained(problem: z.ZodError): string {
  const [first] = problem.issues;
  return `${first?.path.join(".") ?? "message"}: ${first?.message ?? "not understood"}`;
}
