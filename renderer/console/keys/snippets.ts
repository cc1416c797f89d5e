import { samplePrompt } from "../../../app/sample-prompt.ts";

export type Snippet = { readonly label: string; readonly text: string };

export type ApiServer = {
  readonly apiBase: string;
  /** Whether its certificate is its own, so that programs need a copy of it. */
  readonly ownCertificate: boolean;
};

/** @param pin that of the deployment's own certificate; null if it has none. Over loopback no program needs it. */
export function hasOwnCertificate(apiBase: string, pin: string | null): boolean {
  return pin !== null && apiBase.startsWith("https:");
}

/** A call of the API: its path below `/v1`, and its body. */
type Call = { readonly path: string; readonly body: Readonly<Record<string, unknown>> };

/** Calls of the OpenAI-compatible API with this key, ready to copy. `model` is one of the organization's models. */
export function snippets(server: ApiServer, key: string, model: string): readonly [Snippet, ...Snippet[]] {
  const body = { model, messages: [{ role: "user", content: samplePrompt }], temperature: 0 };
  return callSnippets(server, { path: "chat/completions", body }, key);
}

/** The functions of OpenAI's SDKs, by their paths. */
const methods: Readonly<Record<string, string>> = {
  "chat/completions": "chat.completions.create",
  completions: "completions.create",
  embeddings: "embeddings.create",
};

/** The expression of the answer that a program prints, by the call's path. */
const parts: Readonly<Record<string, { readonly whole: string; readonly streamed: string }>> = {
  "chat/completions": { whole: "choices[0].message", streamed: "delta.content" },
  completions: { whole: "choices[0].text", streamed: "text" },
  embeddings: { whole: "data[0].embedding", streamed: "" },
};

/** The same call in several languages, ready to copy. `key`: null to read it from the variable GLEANER_KEY. */
export function callSnippets(
  server: ApiServer,
  call: Call,
  key: string | null,
): readonly [Snippet, ...Snippet[]] {
  return [
    { label: "curl", text: curl(server, call, key) },
    { label: "TypeScript", text: typeScript(server, call, key) },
    { label: "Python", text: python(server, call, key) },
  ];
}

function curl({ apiBase, ownCertificate }: ApiServer, { path, body }: Call, key: string | null): string {
  return [
    `curl ${ownCertificate ? "--cacert certificate.pem " : ""}${apiBase}/v1/${path} \\`,
    `  -H "Authorization: Bearer ${key ?? "$GLEANER_KEY"}" \\`,
    `  -H "Content-Type: application/json" \\`,
    // A quote ends the shell's text, so each one is escaped outside of it.
    `  -d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`,
  ].join("\n");
}

function typeScript(
  { apiBase, ownCertificate }: ApiServer,
  { path, body }: Call,
  key: string | null,
): string {
  const { whole = "", streamed = "" } = parts[path] ?? {};
  return [
    ...(ownCertificate ? [`// Start Node with NODE_EXTRA_CA_CERTS=certificate.pem`] : []),
    `import OpenAI from "openai";`,
    ``,
    `const apiKey = ${key === null ? "process.env.GLEANER_KEY" : JSON.stringify(key)};`,
    `const client = new OpenAI({ baseURL: "${apiBase}/v1", apiKey });`,
    `const answer = await client.${methods[path] ?? ""}(${JSON.stringify(body, null, 2)});`,
    ...(body["stream"] === true
      ? [
          `for await (const chunk of answer) {`,
          `  process.stdout.write(chunk.choices[0]?.${streamed} ?? "");`,
          `}`,
        ]
      : [`console.log(answer.${whole});`]),
  ].join("\n");
}

function python({ apiBase, ownCertificate }: ApiServer, { path, body }: Call, key: string | null): string {
  const { whole = "", streamed = "" } = parts[path] ?? {};
  return [
    ...(ownCertificate ? [`# Start Python with SSL_CERT_FILE=certificate.pem`] : []),
    ...(key === null ? [`import os`] : []),
    `from openai import OpenAI`,
    ``,
    `api_key = ${key === null ? 'os.environ["GLEANER_KEY"]' : JSON.stringify(key)}`,
    `client = OpenAI(base_url="${apiBase}/v1", api_key=api_key)`,
    `answer = client.${methods[path] ?? ""}(`,
    ...Object.entries(body).map(([name, value]) => `    ${name}=${pythonLiteral(value)},`),
    `)`,
    ...(body["stream"] === true
      ? [
          `for chunk in answer:`,
          `    for choice in chunk.choices:`,
          `        print(choice.${streamed} or "", end="")`,
        ]
      : [`print(answer.${whole})`]),
  ].join("\n");
}

function pythonLiteral(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}: ${pythonLiteral(each)}`,
  );
  return `{${fields.join(", ")}}`;
}
