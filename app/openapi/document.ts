import { fileFields, partFields } from "../fields/batches.ts";
import type { Fields } from "../fields/field.ts";
import { answers } from "./answers/answers.ts";
import { bodies, type BodyName, bodyNames, smallestOf } from "./bodies.ts";
import { errorResponses, errorsOf } from "./errors.ts";
import { answerHeaders, headerRefs, headersOf, requestHeaders, requestHeadersOf } from "./headers.ts";
import { type Content, type Operation, queries } from "./operation.ts";
import { operations } from "./operations.ts";
import { bodySchema, plainWords, type Schema, schemaOf } from "./schema.ts";

/** The OpenAPI 3.1 document of the HTTP API. */
export function openApiDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: described(operation) };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Gleaner",
      version: "1",
      description:
        "An organization's idle computers answer its requests. The API follows OpenAI's, so OpenAI's clients work unchanged.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    // Paths begin with /v1, at the same server as this document.
    servers: [{ url: "/" }],
    security: [{ apiKey: [] }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "An API key: sk-gleaner-…" },
        anthropicKey: { type: "apiKey", in: "header", name: "x-api-key", description: "The same key." },
      },
      parameters: requestHeaders,
      headers: Object.fromEntries(
        Object.entries(answerHeaders).map(([name, { type, words }]) => [
          name,
          { description: words, schema: { type } },
        ]),
      ),
      responses: errorResponses,
      schemas: {
        ...Object.fromEntries(bodyNames.map((name) => [name, bodySchema(bodies[name].body)])),
        FileForm: formSchema(fileFields, "file"),
        PartForm: formSchema(partFields, "data"),
        ...Object.fromEntries(Object.entries(answers).map(([name, schema]) => [name, schemaOf(schema)])),
      },
    },
  };
}

function described(operation: Operation): object {
  const { method, path, summary, tag, answer, body, query = [], longestPage } = operation;
  const { asksForJob, events, open } = operation;
  const parameters = [
    ...(path.includes("{id}")
      ? [{ name: "id", in: "path", required: true, schema: { type: "string" } }]
      : []),
    ...query.map((name) => {
      const { schema, words } = queries[name];
      const bound = name === "limit" && longestPage !== undefined ? { maximum: longestPage } : {};
      return { name, in: "query", required: false, schema: { ...schema, ...bound }, description: words };
    }),
    ...requestHeadersOf(operation).map((name) => ref("parameters", name)),
  ];
  const stream = events === undefined ? {} : { "text/event-stream": { schema: eventsOf(events) } };
  const headersAt = (status: number): object => headerRefs(headersOf(operation, status));
  const ok = {
    description: "The answer.",
    headers: headersAt(200),
    content: {
      ...contentOf(answer),
      ...stream,
      ...(operation.csv === true ? { "text/csv": { schema: { type: "string" } } } : {}),
    },
  };
  const accepted = {
    description: "The job. The call asked not to wait for the answer, or the job has not ended.",
    headers: headersAt(202),
    // A response tells by itself how far it is.
    content: contentOf(answer === "Response" ? answer : "Job"),
  };
  const part = {
    description: "The part that `Range` asks for.",
    headers: headersAt(206),
    content: ok.content,
  };
  const unchanged = { description: "The version that `If-None-Match` names.", headers: headersAt(304) };
  return {
    operationId: operationId(method, path),
    summary,
    tags: [tag],
    ...(open === true ? { security: [] } : {}),
    ...(path.startsWith("/v1/messages") ? { security: [{ apiKey: [] }, { anthropicKey: [] }] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBodyOf(body) }),
    responses: {
      "200": ok,
      ...(asksForJob === true || answer === "result" ? { "202": accepted } : {}),
      ...(answer === "lines" ? { "206": part } : {}),
      ...(open === true ? { "304": unchanged } : {}),
      ...errorsOf(operation),
    },
  };
}

/** Such as postJobsIdCancel. */
function operationId(method: string, path: string): string {
  const words = path.slice("/v1/".length).match(/[a-z]+/g) ?? [];
  return method + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

export function ref(kind: string, name: string): { readonly $ref: string } {
  return { $ref: `#/components/${kind}/${name}` };
}

function requestBodyOf(name: NonNullable<Operation["body"]>): object {
  const schema = ref("schemas", name);
  const content =
    name === "FileForm" || name === "PartForm"
      ? { "multipart/form-data": { schema } }
      : { "application/json": { schema, example: exampleOf(name) } };
  return { required: true, content };
}

/** A request with its required fields. The clients of OpenAI and Anthropic always name a model. */
function exampleOf(name: BodyName): object {
  const { body } = bodies[name];
  const { model } = body.fields;
  return { ...(model === undefined ? {} : { model: model.example }), ...smallestOf(body) };
}

function contentOf(answer: Content): Readonly<Record<string, object>> {
  switch (answer) {
    case "events":
      return { "text/event-stream": { schema: eventsOf("named") } };
    case "lines":
      return { "application/jsonl": { schema: { type: "string" } } };
    case "document":
      return { "application/json": { schema: { type: "object" } } };
    case "result":
      return { "application/json": { schema: { anyOf: [...results, ofOllama] } } };
    default:
      return { "application/json": { schema: ref("schemas", answer) } };
  }
}

/** The answers of the calls that ask for a job. */
const results: readonly object[] = operations.flatMap(({ asksForJob, answer }) =>
  asksForJob === true ? [ref("schemas", answer)] : [],
);
/** Its jobs have results here, too, although the document leaves its calls out. */
const ofOllama: Schema = { type: "object", description: "An answer in the form of Ollama's API." };

/** OpenAPI 3.1 cannot describe the events of a stream, so the schema describes the data of one. */
function eventsOf(events: NonNullable<Operation["events"]>): Schema {
  const description = "Server-sent events. The schema is that of the data of one event.";
  return events === "named"
    ? { type: "object", description, properties: { type: { type: "string" } } }
    : { description, allOf: [ref("schemas", events)] };
}

function formSchema(fields: Fields, file: string): Schema {
  const properties = Object.entries(fields).map(([name, { words, support }]) => {
    const noEffect = support === "inert" ? "No effect: " : "";
    const schema = name === file ? { contentMediaType: "application/octet-stream" } : { type: "string" };
    return [name, { ...schema, description: `${noEffect}${plainWords(words)}` }];
  });
  const required = Object.keys(fields).filter((name) => fields[name]?.words.startsWith("required"));
  return { type: "object", properties: Object.fromEntries(properties) as Schema, required };
}
