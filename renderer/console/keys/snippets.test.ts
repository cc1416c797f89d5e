import { expect, it } from "vitest";
import { hasOwnCertificate, snippets } from "./snippets.ts";

const server = { apiBase: "http://127.0.0.1:3210", ownCertificate: false };

it("creates calls with the server, the key, the model and a valid body", () => {
  const all = snippets(server, "sk-gleaner-x", "demo");
  expect(all.map((snippet) => snippet.label)).toEqual(["curl", "JavaScript", "Python"]);
  for (const { text } of all) {
    expect(text).toContain("http://127.0.0.1:3210/v1");
    expect(text).toContain("sk-gleaner-x");
  }
  const body = /-d '(.*)'$/.exec(all[0]!.text)![1]!;
  expect(JSON.parse(body)).toMatchObject({ model: "demo", messages: [{ role: "user" }] });
});

it("names the server's own certificate, which no authority knows, in each call", () => {
  const own = { apiBase: "https://office:3211", ownCertificate: true };
  const [curl, javaScript, python] = snippets(own, "sk-gleaner-x", "demo").map(({ text }) => text);
  expect(curl).toContain("curl --cacert certificate.pem https://office:3211/v1/");
  expect(javaScript).toMatch(/^\/\/ Start Node with NODE_EXTRA_CA_CERTS=certificate.pem\n/);
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
