import { afterAll, beforeAll, describe } from "vitest";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { testAgents } from "./clients/agents.ts";
import { testAiSdk } from "./clients/ai-sdk.ts";
import { testCurl } from "./clients/curl.ts";
import { testInstructor } from "./clients/instructor.ts";
import { testLangChain } from "./clients/langchain.ts";
import { testOllama } from "./clients/ollama.ts";

/**
 * Clients as they come from the registry, with their ordinary calls, on a running backend and a donor with the demo model.
 * OpenAI's and Anthropic's own clients have tests of their own.
 */
let farm: Farm;

beforeAll(async () => {
  farm = await startFarm();
  await farm.startDonor("clients");
});
afterAll(async () => {
  await farm.close();
});

const server = () => ({
  site: farm.backend.siteUrl,
  apiKey: farm.organization.apiKey,
  model: farm.modelId,
});

describe("ollama", () => testOllama(server));
describe("Vercel's AI SDK", () => testAiSdk(server));
describe("LangChain", () => testLangChain(server));
describe("OpenAI's agents", () => testAgents(server));
describe("instructor", () => testInstructor(server));
describe("curl", () => testCurl(server));
