import { inert, names, neutral, supported } from "./field.ts";

const expiry = { anchor: "created_at", seconds: 86_400 };

/** The fields of POST /v1/batches. */
export const batchFields = {
  input_file_id: supported("required. The id of a file with the purpose `batch`", "file-k57a"),
  endpoint: supported(
    "required. `/v1/chat/completions`, `/v1/responses`, `/v1/messages`, `/v1/completions` or `/v1/embeddings`. All lines have the same",
    "/v1/chat/completions",
  ),
  completion_window: supported(
    "required. From `1h` to `7d`. A request without an answer by then ends as expired",
    "24h",
  ),
  metadata: supported("up to 16 texts of your own", { task: "7" }),
  output_expires_after: supported(
    "how long its files are kept, from an hour to 30 days, but until the end of the window at least. Its data class may shorten that",
    expiry,
    { fields: names("anchor", "seconds") },
  ),
};

/** The fields of POST /v1/batches/estimate. */
export const batchEstimateFields = {
  ...batchFields,
  sample_of: supported(
    "the file is a sample of so many requests, of one batch or several. The estimate is for all of them",
    20_000,
  ),
};

/** The fields of a line of a batch's file. */
export const lineFields = {
  custom_id: supported("required. The request's name, once in the file", "q1"),
  method: supported("required. `POST`", "POST"),
  url: supported("required. The batch's endpoint", "/v1/chat/completions"),
  body: supported("required. The body of the request's own call", {
    messages: [{ role: "user", content: "7 + 5 =" }],
  }),
};

/** The fields of the form of POST /v1/files. */
export const fileFields = {
  file: supported("required. Lines of JSON, at most 16 MiB", "prompts.jsonl"),
  purpose: supported("required. `batch`", "batch"),
  "expires_after[anchor]": inert("files are kept from their creation in any case"),
  "expires_after[seconds]": supported("how long the file is kept, from an hour to 30 days", "86400"),
};

/** The fields of the form of POST /v1/uploads/ID/parts. */
export const partFields = {
  data: supported("required. At most 16 MiB of the file", "part of the file"),
};

/** The fields of POST /v1/uploads. */
export const uploadFields = {
  filename: supported("required", "prompts.jsonl"),
  bytes: supported("required. The size of the whole file, at most 512 MiB", 20_000_000),
  purpose: supported("required. `batch`", "batch"),
  mime_type: inert("the file has JSON lines in any case"),
  expires_after: supported("how long the file is kept, from an hour to 30 days", expiry, {
    fields: names("anchor", "seconds"),
  }),
};

/** The fields of POST /v1/uploads/ID/complete. */
export const uploadCompletionFields = {
  part_ids: supported("required. The ids of the parts, in the order of the file", ["part_k97a"]),
  md5: neutral("not supported. TLS protects the parts on their way"),
};

/** The fields of POST /v1/jobs/ID/priority. */
export const priorityFields = {
  service_tier: supported(
    "required. `priority`, `default` (or `auto`) or `flex`, at most the key's highest",
    "flex",
  ),
};

/** The fields of POST /v1/jobs/ID/rating. */
export const ratingFields = {
  rating: supported("required. `good` or `bad`", "bad"),
  reason: supported(
    "only of a bad one: `wrong`, `incomplete`, `off_topic`, `format`, `repetitive`, `harmful` or `other`",
    "wrong",
  ),
  comment: supported(
    "up to 1,000 characters. Administrators read it; the donor of the device does not",
    "14, not 12",
  ),
  dispute: supported(
    "only of a bad one. `true` asks an administrator to look at the answer and to decide. Default: false",
    true,
  ),
};
