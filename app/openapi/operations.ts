import type { AnswerName } from "./answers.ts";
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
  /** It asks for a job, so it has the headers of jobs, and may answer with the job itself. */
  readonly asksForJob?: true;
  /** The events of its stream, if `stream` is true. */
  readonly events?: AnswerName | "named";
  /** Also as CSV. */
  readonly csv?: true;
  /** It needs no API key. */
  readonly open?: true;
};

/** The parameters of addresses. */
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
} as const;
export type QueryName = keyof typeof queries;

const paging = ["limit", "after"] as const;

/** Every call under /v1 that `convex/http.ts` serves. A new route needs a row here, and one in docs/api.md. */
export const operations: readonly Operation[] = [
  {
    method: "post",
    path: "/v1/chat/completions",
    summary: "Answer a chat",
    tag: "Answers",
    body: "ChatCompletionRequest",
    answer: "ChatCompletion",
    events: "ChatCompletionChunk",
    asksForJob: true,
  },
  {
    method: "post",
    path: "/v1/responses",
    summary: "Answer a chat, in the form of the Responses API",
    tag: "Answers",
    body: "ResponseRequest",
    answer: "Response",
    events: "named",
    asksForJob: true,
  },
  {
    method: "get",
    path: "/v1/responses/{id}",
    summary: "Get a response",
    tag: "Answers",
    answer: "Response",
  },
  {
    method: "post",
    path: "/v1/responses/{id}/cancel",
    summary: "Cancel a response",
    tag: "Answers",
    answer: "Response",
  },
  {
    method: "post",
    path: "/v1/messages",
    summary: "Answer a chat, in the form of Anthropic's Messages API",
    tag: "Answers",
    body: "MessageRequest",
    answer: "Message",
    events: "named",
    asksForJob: true,
  },
  {
    method: "post",
    path: "/v1/messages/count_tokens",
    summary: "Estimate the tokens of a message",
    tag: "Answers",
    body: "CountTokensRequest",
    answer: "TokenCount",
  },
  {
    method: "post",
    path: "/v1/completions",
    summary: "Continue a text",
    tag: "Answers",
    body: "CompletionRequest",
    answer: "Completion",
    events: "Completion",
    asksForJob: true,
  },
  {
    method: "post",
    path: "/v1/embeddings",
    summary: "Turn texts into vectors",
    tag: "Answers",
    body: "EmbeddingRequest",
    answer: "EmbeddingList",
    asksForJob: true,
  },
  { method: "get", path: "/v1/jobs", summary: "List jobs", tag: "Jobs", answer: "JobList", query: paging },
  { method: "get", path: "/v1/jobs/{id}", summary: "Get a job", tag: "Jobs", answer: "Job" },
  {
    method: "get",
    path: "/v1/jobs/{id}/result",
    summary: "Get a job's answer, as its own call would have got it",
    tag: "Jobs",
    answer: "result",
    query: ["encoding_format"],
  },
  {
    method: "get",
    path: "/v1/jobs/{id}/events",
    summary: "Follow a job to its end",
    tag: "Jobs",
    answer: "events",
  },
  { method: "post", path: "/v1/jobs/{id}/cancel", summary: "Cancel a job", tag: "Jobs", answer: "Job" },
  {
    method: "post",
    path: "/v1/jobs/{id}/priority",
    summary: "Change the priority of a queued job",
    tag: "Jobs",
    body: "PriorityRequest",
    answer: "JobPriority",
  },
  {
    method: "post",
    path: "/v1/batches",
    summary: "Create a batch",
    tag: "Batches",
    body: "BatchRequest",
    answer: "Batch",
  },
  {
    method: "get",
    path: "/v1/batches",
    summary: "List batches",
    tag: "Batches",
    answer: "BatchList",
    query: paging,
  },
  {
    method: "post",
    path: "/v1/batches/estimate",
    summary: "Estimate the cost and the end of a batch",
    tag: "Batches",
    body: "BatchRequest",
    answer: "BatchEstimate",
  },
  { method: "get", path: "/v1/batches/{id}", summary: "Get a batch", tag: "Batches", answer: "Batch" },
  {
    method: "post",
    path: "/v1/batches/{id}/cancel",
    summary: "Cancel a batch",
    tag: "Batches",
    answer: "Batch",
  },
  {
    method: "post",
    path: "/v1/files",
    summary: "Upload a file",
    tag: "Files",
    body: "FileForm",
    answer: "File",
  },
  {
    method: "get",
    path: "/v1/files",
    summary: "List files",
    tag: "Files",
    answer: "FileList",
    query: [...paging, "order", "purpose"],
  },
  { method: "get", path: "/v1/files/{id}", summary: "Get a file's facts", tag: "Files", answer: "File" },
  {
    method: "delete",
    path: "/v1/files/{id}",
    summary: "Delete a file",
    tag: "Files",
    answer: "DeletedFile",
  },
  {
    method: "get",
    path: "/v1/files/{id}/content",
    summary: "Get a file's content, or a range of it",
    tag: "Files",
    answer: "lines",
  },
  {
    method: "post",
    path: "/v1/uploads",
    summary: "Announce a file that comes in parts",
    tag: "Files",
    body: "UploadRequest",
    answer: "Upload",
  },
  {
    method: "post",
    path: "/v1/uploads/{id}/parts",
    summary: "Upload a part",
    tag: "Files",
    body: "PartForm",
    answer: "UploadPart",
  },
  {
    method: "post",
    path: "/v1/uploads/{id}/complete",
    summary: "Make a file of the parts",
    tag: "Files",
    body: "UploadCompletionRequest",
    answer: "Upload",
  },
  {
    method: "post",
    path: "/v1/uploads/{id}/cancel",
    summary: "Cancel an upload",
    tag: "Files",
    answer: "Upload",
  },
  {
    method: "get",
    path: "/v1/models",
    summary: "List models and aliases",
    tag: "Models",
    answer: "ModelList",
  },
  { method: "get", path: "/v1/models/{id}", summary: "Get a model", tag: "Models", answer: "Model" },
  {
    method: "get",
    path: "/v1/usage",
    summary: "Get a table of usage",
    tag: "Usage",
    answer: "UsageTable",
    query: ["by", "days", "format"],
    csv: true,
  },
  {
    method: "get",
    path: "/v1/budgets",
    summary: "Get this month's budgets",
    tag: "Usage",
    answer: "BudgetTable",
    query: ["format"],
    csv: true,
  },
  {
    method: "get",
    path: "/v1/openapi.json",
    summary: "Get this document",
    tag: "Description",
    answer: "document",
    open: true,
  },
];
