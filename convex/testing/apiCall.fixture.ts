import type { Backend } from "./backend.fixture.ts";

export type ApiCall = { readonly method?: string; readonly body?: object; readonly headers?: object };

/** Calls the API with a key: by POST if there is a body, otherwise by GET. */
export async function callApi(
  t: Backend,
  apiKey: string,
  path: string,
  { method, body, headers = {} }: ApiCall = {},
): Promise<Response> {
  return await t.fetch(path, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
  });
}
