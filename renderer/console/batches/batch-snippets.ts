import { type BatchEndpoint, batchLimits } from "../../../app/batches/limits.ts";
import { samplePrompt } from "../../../app/sample-prompt.ts";
import type { ApiServer, Snippet } from "../keys/snippets.ts";

const auth = `-H "Authorization: Bearer $GLEANER_KEY"`;

function curlOf({ ownCertificate }: ApiServer): string {
  return ownCertificate ? "curl --cacert certificate.pem" : "curl";
}

function typeScriptHead({ apiBase, ownCertificate }: ApiServer, imported: string): readonly string[] {
  return [
    ...(ownCertificate ? ["// Start Node with NODE_EXTRA_CA_CERTS=certificate.pem"] : []),
    imported,
    `import OpenAI from "openai";`,
    ``,
    `const client = new OpenAI({ baseURL: "${apiBase}/v1", apiKey: process.env.GLEANER_KEY });`,
  ];
}

function pythonHead({ apiBase, ownCertificate }: ApiServer): readonly string[] {
  return [
    ...(ownCertificate ? ["# Start Python with SSL_CERT_FILE=certificate.pem"] : []),
    `import os`,
    `from openai import OpenAI`,
    ``,
    `client = OpenAI(base_url="${apiBase}/v1", api_key=os.environ["GLEANER_KEY"])`,
  ];
}

/** A line of a batch's file. */
export function exampleLine(model: string): string {
  const body = { model, messages: [{ role: "user", content: samplePrompt }], temperature: 0 };
  return JSON.stringify({ custom_id: "q1", method: "POST", url: "/v1/chat/completions", body });
}

const endpoint: BatchEndpoint = "/v1/chat/completions";

/** Calls that send a file of requests and make a batch of it. They read the key from the variable GLEANER_KEY. */
export function beginSnippets(server: ApiServer): readonly [Snippet, ...Snippet[]] {
  const curl = curlOf(server);
  return [
    {
      label: "TypeScript",
      text: [
        ...typeScriptHead(server, `import { createReadStream } from "node:fs";`),
        `const requests = createReadStream("requests.jsonl");`,
        `const file = await client.files.create({ purpose: "batch", file: requests });`,
        `const batch = await client.batches.create({`,
        `  input_file_id: file.id,`,
        `  endpoint: "${endpoint}",`,
        `  completion_window: "24h",`,
        `});`,
        `console.log(batch.id);`,
      ].join("\n"),
    },
    {
      label: "Python",
      text: [
        ...pythonHead(server),
        `file = client.files.create(purpose="batch", file=open("requests.jsonl", "rb"))`,
        `batch = client.batches.create(`,
        `    input_file_id=file.id,`,
        `    endpoint="${endpoint}",`,
        `    completion_window="24h",`,
        `)`,
        `print(batch.id)`,
      ].join("\n"),
    },
    {
      label: "curl",
      text: [
        `${curl} ${server.apiBase}/v1/files ${auth} \\`,
        `  -F purpose=batch -F file=@requests.jsonl`,
        `# The answer has the file's id.`,
        `${curl} ${server.apiBase}/v1/batches ${auth} \\`,
        `  -H "Content-Type: application/json" \\`,
        `  -d '{"input_file_id": "FILE-ID", "endpoint": "${endpoint}", "completion_window": "24h"}'`,
      ].join("\n"),
    },
  ];
}

/** A file of a batch, and the name under which it is stored. */
export type FetchedFile = { readonly fileId: string; readonly bytes: number; readonly name: string };

const step = batchLimits.fileBytes;

/** Calls that store the files of a batch. The server sends a longer file in parts. */
export function fetchSnippets(
  server: ApiServer,
  files: readonly FetchedFile[],
): readonly [Snippet, ...Snippet[]] {
  const lines = (of: (file: FetchedFile) => readonly string[]): readonly string[] => files.flatMap(of);
  const writers = files.some(({ bytes }) => bytes > step) ? "appendFile, writeFile" : "writeFile";
  return [
    {
      label: "TypeScript",
      text: [
        ...typeScriptHead(server, `import { ${writers} } from "node:fs/promises";`),
        ...lines(({ fileId, bytes, name }) =>
          bytes <= step
            ? [
                `const ${name} = await client.files.content("${fileId}");`,
                `await writeFile("${name}.jsonl", await ${name}.text());`,
              ]
            : [
                `await writeFile("${name}.jsonl", "");`,
                `for (let from = 0; from < ${String(bytes)}; from += ${String(step)}) {`,
                `  const headers = { Range: \`bytes=\${from}-\${from + ${String(step - 1)}}\` };`,
                `  const part = await client.files.content("${fileId}", { headers });`,
                `  await appendFile("${name}.jsonl", Buffer.from(await part.arrayBuffer()));`,
                `}`,
              ],
        ),
      ].join("\n"),
    },
    {
      label: "Python",
      text: [
        ...pythonHead(server),
        ...lines(({ fileId, bytes, name }) =>
          bytes <= step
            ? [`client.files.content("${fileId}").write_to_file("${name}.jsonl")`]
            : [
                `with open("${name}.jsonl", "wb") as ${name}:`,
                `    for start in range(0, ${String(bytes)}, ${String(step)}):`,
                `        headers = {"Range": f"bytes={start}-{start + ${String(step - 1)}}"}`,
                `        ${name}.write(client.files.content("${fileId}", extra_headers=headers).read())`,
              ],
        ),
      ].join("\n"),
    },
    {
      label: "curl",
      text: lines(({ fileId, bytes, name }) => {
        const get = `${curlOf(server)} ${server.apiBase}/v1/files/${fileId}/content ${auth}`;
        return bytes <= step
          ? [`${get} -o ${name}.jsonl`]
          : [
              `for part in $(seq 0 ${String(Math.ceil(bytes / step) - 1)}); do`,
              `  ${get} \\`,
              `    -r $((part * ${String(step)}))-$((part * ${String(step)} + ${String(step - 1)}))`,
              `done > ${name}.jsonl`,
            ];
      }).join("\n"),
    },
  ];
}
