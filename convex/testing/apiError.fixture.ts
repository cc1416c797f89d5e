import { expect } from "vitest";

/** Expects an answer of the HTTP API to be an error in OpenAI's form, which a page of any origin may read. */
export async function expectError(response: Response, status: number, error: object): Promise<void> {
  const body: unknown = await response.json();
  expect({ status: response.status, body }).toMatchObject({ status, body: { error } });
  expect(body).toHaveProperty("error.type");
  expect(body).toHaveProperty("error.param");
  expect(response.headers.get("access-control-expose-headers")).toContain("x-request-id");
}
