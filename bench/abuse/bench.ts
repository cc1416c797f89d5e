import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { grammarMistake, grammarRules } from "../../app/jobs/gbnf.ts";
import { grammarCost } from "../../app/jobs/grammar-cost.ts";
import { parseChat } from "../../app/jobs/parse-chat.ts";
import { ask, makeClient } from "../../launch/farm/ask.ts";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { demoPrompts } from "../../launch/farm/prompts.ts";
import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { tableRow } from "../support/rows.ts";
import { median, quantile, roundedNumbers } from "../support/statistics.ts";
import { costlyBodies, costlyGrammars } from "./costly-bodies.ts";
import { abuseBars, type AbuseFigures } from "./figures.ts";
import { hostileCalls, openSync, retainedArguments } from "./hostile-calls.ts";

const callsOfEachKind = 100;
/** Hostile calls at a time. */
const atOnce = 10;
const healthEveryMs = 50;
/** Connections that retain as much as they can. */
const greedyConnections = 20;
/** A slow machine measures less. */
const abuseForMs = 120_000;

export const abuseBench: Bench = {
  summary: "what hostile calls cost: grammars, schemas, connections, and everybody else's calls meanwhile",
  run: async (rounds, say) => {
    say("grammars and schemas");
    const analysis = measureAnalysis(3 * rounds);
    const farm = await startFarm();
    try {
      say("starting a donor");
      await farm.startDonor("neighbor");
      say(`${greedyConnections} greedy connections`);
      const preAuthBytesPerConnection = await measureConnections(farm);
      say(`${callsOfEachKind} hostile calls of each kind`);
      const { answers, ...under } = await measureUnderAbuse(farm);
      const figures: AbuseFigures = roundedNumbers({
        ...analysis,
        preAuthBytesPerConnection,
        healthP99MsUnderAbuse: under.healthP99Ms,
        neighborsHurt: under.hurt,
      });
      const details = { hostileCalls: under.sent, neighborsAnswered: answers, healthAsked: under.asked };
      const text = [
        tableRow("hostile calls", [details.hostileCalls]),
        tableRow("calls of others that were answered meanwhile", [details.neighborsAnswered]),
        tableRow("answers of /health meanwhile", [details.healthAsked]),
        tableRow("steps of the analysis per character", [figures.grammar.stepsPerChar]),
        "",
        ...barLines(abuseBars(figures)),
      ].join("\n");
      return { json: { ...figures, details }, text };
    } finally {
      await farm.close();
    }
  },
};

/** Medians of `rounds` runs in this process. One more run comes first, since code is slow until it is compiled. */
function measureAnalysis(rounds: number): Pick<AbuseFigures, "grammar" | "schemaBombMs"> {
  const timed = (work: () => void): number => {
    work();
    return median(
      Array.from({ length: rounds }, () => {
        const start = performance.now();
        work();
        return performance.now() - start;
      }),
    );
  };
  const bombs = costlyBodies("m").filter(({ name }) => name.includes("bomb"));
  const bombMs = bombs.map(({ name, body }) => {
    const text = JSON.stringify(body);
    if (parseChat(text).kind !== "refused") throw new Error(`a ${name} is accepted`);
    return timed(() => parseChat(text));
  });
  return {
    grammar: {
      stepsPerChar: Math.max(
        ...costlyGrammars.map((grammar) => grammarCost(grammarRules(grammar)).steps / grammar.length),
      ),
      worstMs: Math.max(...costlyGrammars.map((grammar) => timed(() => grammarMistake(grammar)))),
    },
    schemaBombMs: Math.max(...bombMs),
  };
}

/** The most bytes for one connection, by the backend's own count, while many send all that they can. */
async function measureConnections({ backend }: Farm): Promise<number> {
  const address = `${backend.url.replace("http", "ws")}/api/sync`;
  const sockets = Array.from({ length: greedyConnections }, () => openSync(address, retainedArguments()));
  let most = 0;
  for (let sample = 0; sample < 60; sample++) {
    most = Math.max(most, await retainedBytes(backend.url));
    await sleep(50);
  }
  for (const socket of sockets) socket.close();
  return most / greedyConnections;
}

const gauge = /^convex_embedded_anonymous_bytes (\d+(?:\.\d+)?)/m;

async function retainedBytes(url: string): Promise<number> {
  const found = gauge.exec(await (await fetch(`${url}/metrics`)).text());
  if (found === null) throw new Error("/metrics does not say how many bytes are retained");
  return Number(found[1]);
}

async function measureUnderAbuse(farm: Farm): Promise<{
  readonly sent: number;
  readonly asked: number;
  readonly healthP99Ms: number;
  readonly answers: number;
  readonly hurt: number;
}> {
  const { organization, setup, backend, modelId } = farm;
  const attacker = await setup.issueKey(organization.organizationId, "attacker");
  const health: number[] = [];
  let over = false;
  const probe = new Worker(new URL("health-probe.ts", import.meta.url), {
    workerData: { address: `${backend.url}/health`, everyMs: healthEveryMs },
  });
  probe.on("message", (ms: number) => health.push(ms));
  let answers = 0;
  let hurt = 0;
  const neighbor = async (): Promise<void> => {
    const client = makeClient(backend.siteUrl, organization.apiKey);
    const prompts = demoPrompts(20);
    for (let call = 0; !over || call === 0; call++) {
      const prompt = prompts[call % prompts.length];
      if (prompt === undefined) return;
      const { outcome } = await ask(client, modelId, prompt, call % 2 === 0);
      if (outcome.kind === "answered") answers += 1;
      else hurt += 1;
      await sleep(100);
    }
  };
  const neighbors = neighbor();
  const kinds = hostileCalls(farm, attacker);
  const queue = Array.from({ length: callsOfEachKind }, () => kinds).flat();
  const until = performance.now() + abuseForMs;
  let sent = 0;
  const attack = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined && performance.now() < until; next = queue.pop()) {
      sent += 1;
      // A refused upload may end its connection.
      await next.send().catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, attack));
  over = true;
  await probe.terminate();
  await neighbors;
  return { sent, asked: health.length, healthP99Ms: quantile(health, 0.99), answers, hurt };
}
