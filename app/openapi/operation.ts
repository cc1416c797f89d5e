import type { AnswerName } from "./answers/answers.ts";
import type { BodyName } from "./bodies.ts";

/** The content of an answer: a named object, server-sent events of a named object, or something else. */
export type Content = AnswerName | "events" | "lines" | "result" | "document";

/** One call of the HTTP API. */
export type Operation = {
  readonly method: "get" | "post" | "delete";
  /** With the placeholders of OpenAPI: /v1/jobs/{id}. */
  readonly path: string;
  readonly summary: string;
  readonly tag: "Answers" | "Jobs" | "Batches" | "Files" | "Models" | "Usage" | "Description";
  readonly answer: Content;
  readonly body?: BodyName | "FileForm" | "PartForm";
  readonly query?: readonly QueryName[];
  /** The most entries of a page, if that is another number than usual. */
  readonly longestPage?: number;
  /** It asks for a job, so it has the headers of jobs, and may answer with the job itself. */
  readonly asksForJob?: true;
  /** The events of its stream, if `stream` is true. */
  readonly events?: AnswerName | "named";
  /** Also as CSV. */
  readonly csv?: true;
  /** It needs no API key. */
  readonly open?: true;
};

/** The parameters of addresses. A call refuses all others. */
export const queries = {
  limit: { schema: { type: "integer", minimum: 1, maximum: 100, default: 20 }, words: "Entries of a page." },
  after: { schema: { type: "string" }, words: "The id of the entry before the page." },
  order: { schema: { enum: ["desc", "asc"], default: "desc" }, words: "Newest or oldest first." },
  purpose: { schema: { enum: ["batch", "batch_output"] }, words: "Only files with this purpose." },
  encoding_format: { schema: { enum: ["float", "base64"], default: "float" }, words: "The form of vectors." },
  by: {
    schema: { enum: ["day", "model", "key", "team", "member", "device", "group"], default: "day" },
    words: "The rows. An API key has `day` only.",
  },
  days: { schema: { enum: [7, 30, 90], default: 30 }, words: "How many days, with today." },
  format: { schema: { enum: ["json", "csv"], default: "json" }, words: "The form of the table." },
  beta: { schema: { const: true }, words: "No effect. Anthropic's SDK sends it with its beta calls." },
} as const;
export type QueryName = keyof typeof queries;
