import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { callSnippets, hasOwnCertificate, snippets } from "./snippets.ts";

const server = { apiBase: "http://127.0.0.1:3210", ownCertificate: false };

it("creates calls with the server, the key, the model and a valid body", () => {
  const all = snippets(server, "sk-gleaner-x", "demo");
  expect(all.map((snippet) => snippet.label)).toEqual(["curl", "TypeScript", "Python"]);
  for (const { text } of all) {
    expect(text).toContain("http://127.0.0.1:3210/v1");
    expect(text).toContain("sk-gleaner-x");
  }
  const body = /-d '(.*)'$/.exec(all[0].text)![1]!;
  expect(JSON.parse(body)).toMatchObject({ model: "demo", messages: [{ role: "user" }] });
});

it("names the server's own certificate, which no authority knows, in each call", () => {
  const own = { apiBase: "https://office:3211", ownCertificate: true };
  const [curl, typeScript, python] = snippets(own, "sk-gleaner-x", "demo").map(({ text }) => text);
  expect(curl).toContain("curl --cacert certificate.pem https://office:3211/v1/");
  expect(typeScript).toMatch(/^\/\/ Start Node with NODE_EXTRA_CA_CERTS=certificate.pem\n/);
  expect(python).toMatch(/^# Start Python with SSL_CERT_FILE=certificate.pem\n/);
});

it.each([server, { apiBase: "https://gleaner.example.org", ownCertificate: false }])(
  "names no certificate for $apiBase",
  (known) => {
    for (const { text } of snippets(known, "sk-gleaner-x", "demo")) expect(text).not.toMatch(/cert/i);
  },
);

it("uses the own certificate only where the calls need it, not on the server itself", () => {
  expect(hasOwnCertificate("https://office:3211", "sha256:ab")).toBe(true);
  expect(hasOwnCertificate("http://127.0.0.1:3211", "sha256:ab")).toBe(false);
  expect(hasOwnCertificate("https://gleaner.example.org", null)).toBe(false);
});

const awkward = `It's "quoted", a \\ and\na line, é€ and $(id) \`x\``;

it("writes any text for a shell so that it arrives unchanged", () => {
  const body = { model: "demo", messages: [{ role: "user", content: awkward }] };
  const [curl] = callSnippets(server, { path: "chat/completions", body }, null);
  // A function in place of curl prints its last argument.
  const script = `curl() { printf '%s' "\${@: -1}"; }\n${curl.text}`;
  expect(JSON.parse(execFileSync("bash", ["-c", script], { encoding: "utf8" }))).toEqual(body);
});

it("writes streamed and whole calls of each kind, and no key", () => {
  for (const path of ["chat/completions", "completions", "embeddings"]) {
    for (const stream of [{}, { stream: true }]) {
      const all = callSnippets(server, { path, body: { model: "demo", ...stream } }, null);
      for (const { text } of all) expect(text).toContain("GLEANER_KEY");
      expect(all[1]!.text.includes("for await")).toBe("stream" in stream);
    }
  }
  const [, typeScript] = callSnippets(server, { path: "embeddings", body: { model: "demo" } }, null);
  expect(typeScript!.text).toContain("client.embeddings.create(");
});

it("writes Python's words for true, false and null", () => {
  const body = { model: "demo", stream: true, seed: null, tools: [{ strict: false, text: awkward }] };
  const python = callSnippets(server, { path: "chat/completions", body }, null)[2]!.text;
  expect(python).toContain("stream=True,");
  expect(python).toContain("seed=None,");
  expect(python).toContain(`tools=[{"strict": False, "text": ${JSON.stringify(awkward)}}],`);
});
