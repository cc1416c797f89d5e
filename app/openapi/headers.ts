/** Headers of requests that ask for a job, by their names among the document's components. */
export const requestHeaders = {
  IdempotencyKey: header("Idempotency-Key", { type: "string" }, "The same key and body find the same job."),
  ExpiresIn: header(
    "Gleaner-Expires-In",
    { type: "integer", minimum: 10, maximum: 604_800 },
    "Seconds after which the job ends as expired.",
  ),
  Requires: header(
    "Gleaner-Requires",
    { type: "string", maxLength: 2_048 },
    "What the device must have, as pairs of a URL's query: tag=eu&memory=16.",
  ),
  Prefer: header(
    "Prefer",
    { type: "string" },
    "`respond-async` answers with the job at once, `respond-async, wait=N` after N seconds.",
  ),
  ContentEncoding: header("Content-Encoding", { enum: ["gzip", "identity"] }, "The JSON may be compressed."),
};

export const headerNames = Object.keys(requestHeaders) as readonly (keyof typeof requestHeaders)[];

function header(name: string, schema: object, description: string): object {
  return { name, in: "header", required: false, schema, description };
}

/** Headers of answers. The first two are those of every answer. */
export const answerHeaders = {
  "x-request-id": answered("string", "An id of the call."),
  "openai-processing-ms": answered("integer", "How long the server took, with the time in the queue."),
  "x-gleaner-job": answered("string", "The id of the job."),
  "x-gleaner-price-percent": answered("number", "What the priority costs, in percent of the model's price."),
  "x-gleaner-price": answered(
    "integer",
    "What the job has cost, in micro-credits. A stream has it in its last event.",
  ),
  "x-gleaner-energy-wh": answered(
    "number",
    "The energy that the device used, in watt-hours. A stream has it in its last event.",
  ),
  "x-gleaner-energy-source": answered("string", "`measured`, or `estimated` by the hardware."),
};

export const jobHeaders = Object.keys(answerHeaders);

function answered(type: string, description: string): object {
  return { description, schema: { type } };
}
