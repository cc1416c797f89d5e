type Snippet = { readonly label: string; readonly text: string };

export type ApiServer = {
  readonly apiBase: string;
  /** Whether its certificate is its own, so that programs need a copy of it. */
  readonly ownCertificate: boolean;
};

/** @param pin that of the deployment's own certificate; null if it has none. Over loopback no program needs it. */
export function hasOwnCertificate(apiBase: string, pin: string | null): boolean {
  return pin !== null && apiBase.startsWith("https:");
}

/** Calls of the OpenAI-compatible API with this key, ready to copy. `model` is one of the organization's models. */
export function snippets(
  { apiBase, ownCertificate }: ApiServer,
  key: string,
  model: string,
): readonly Snippet[] {
  const messages = `[{"role": "user", "content": "What is 3 plus 4?"}]`;
  return [
    {
      label: "curl",
      text: [
        `curl ${ownCertificate ? "--cacert certificate.pem " : ""}${apiBase}/v1/chat/completions \\`,
        `  -H "Authorization: Bearer ${key}" \\`,
        `  -H "Content-Type: application/json" \\`,
        `  -d '{"model": "${model}", "messages": ${messages}}'`,
      ].join("\n"),
    },
    {
      label: "JavaScript",
      text: [
        ...(ownCertificate ? [`// Start Node with NODE_EXTRA_CA_CERTS=certificate.pem`] : []),
        `import OpenAI from "openai";`,
        ``,
        `const client = new OpenAI({ baseURL: "${apiBase}/v1", apiKey: "${key}" });`,
        `const answer = await client.chat.completions.create({`,
        `  model: "${model}",`,
        `  messages: ${messages},`,
        `});`,
        `console.log(answer.choices[0].message.content);`,
      ].join("\n"),
    },
    {
      label: "Python",
      text: [
        ...(ownCertificate ? [`# Start Python with SSL_CERT_FILE=certificate.pem`] : []),
        `from openai import OpenAI`,
        ``,
        `client = OpenAI(base_url="${apiBase}/v1", api_key="${key}")`,
        `answer = client.chat.completions.create(`,
        `    model="${model}",`,
        `    messages=${messages},`,
        `)`,
        `print(answer.choices[0].message.content)`,
      ].join("\n"),
    },
  ];
}
