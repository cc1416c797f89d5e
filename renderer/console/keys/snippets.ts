type Snippet = { readonly label: string; readonly text: string };

/** Calls of the OpenAI-compatible API with this key, ready to copy. `model` is one of the organization's models. */
export function snippets(apiBase: string, key: string, model: string): readonly Snippet[] {
  const messages = `[{"role": "user", "content": "What is 3 plus 4?"}]`;
  return [
    {
      label: "curl",
      text: [
        `curl ${apiBase}/v1/chat/completions \\`,
        `  -H "Authorization: Bearer ${key}" \\`,
        `  -H "Content-Type: application/json" \\`,
        `  -d '{"model": "${model}", "messages": ${messages}}'`,
      ].join("\n"),
    },
    {
      label: "JavaScript",
      text: [
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
