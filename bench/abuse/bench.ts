import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { grammarCost } from "../../app/jobs/grammar/cost.ts";
import { grammarMistake, grammarRules } from "../../app/jobs/grammar/gbnf.ts";
import { parseChat } from "../../app/jobs/parse/parse-chat.ts";
import { ask, makeClient } from "../../launch/farm/ask.ts";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { demoPrompts } from "../../launch/farm/prompts.ts";
import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { residentBytes } from "../support/resident-memory.ts";
import { tableRow } from "../support/rows.ts";
import { median, quantile, roundedNumbers } from "../support/statistics.ts";
import { costlyBodies, costlyGrammars } from "./costly-bodies.ts";
import { abuseBars, type AbuseDetails, type AbuseFigures } from "./figures.ts";
import { hostileCalls, openSync, retainedArguments } from "./hostile-calls.ts";

const callsOfEachKind = 100;
/** Hostile calls at a time. */
const atOnce = 10;
const healthEveryMs = 50;
/** Connections that retain as much as they can. The memory for clients of one address has room for 16. */
const greedyConnections = 15;
const openWithinMs = 20_000;
/** A slow machine measures less. */
const abuseForMs = 100_000;
const lastAnswerWithinMs = 40_000;

export const abuseBench: Bench = {
  summary: "what hostile calls cost: grammars, schemas, connections, and everybody else's calls meanwhile",
  run: async (rounds, say) => {
    say("grammars and schemas");
    const { wideBodyMs, ...analysis } = measureAnalysis(3 * rounds);
    const farm = await startFarm();
    try {
      say("starting a donor");
      await farm.startDonor("neighbor");
      say(`${greedyConnections} greedy connections`);
      const { bytes, ...connections } = await measureConnections(farm);
      say(`${callsOfEachKind} hostile calls of each kind`);
      const { healthP99Ms, hurt, ...calls } = await measureUnderAbuse(farm);
      const figures: AbuseFigures = roundedNumbers({
        ...analysis,
        preAuthBytesPerConnection: bytes,
        healthP99MsUnderAbuse: healthP99Ms,
        neighborsHurt: hurt,
      });
      const details: AbuseDetails = roundedNumbers({ ...connections, ...calls, wideBodyMs });
      const bars = abuseBars(figures, details);
      const text = [
        tableRow("hostile calls", [details.hostileCalls]),
        tableRow("calls of others that were answered meanwhile", [details.neighborsAnswered]),
        tableRow("answers of /health meanwhile", [details.healthAsked]),
        tableRow("ms of the slowest of them", [details.healthWorstMs]),
        tableRow("MB of memory for each greedy connection", [details.residentBytesPerConnection / 1e6]),
        tableRow("MB of memory during the hostile calls", [details.residentBytesUnderAbuse / 1e6]),
        tableRow("steps of the analysis per character", [figures.grammar.stepsPerChar]),
        tableRow("ms for the slowest body with many values", [details.wideBodyMs]),
        "",
        ...barLines(bars),
      ].join("\n");
      return { json: { ...figures, details, bars }, text };
    } finally {
      await farm.close();
    }
  },
};

/** Medians of `rounds` runs in this process. One more run comes first, since code is slow until it is compiled. */
function measureAnalysis(
  rounds: number,
): Pick<AbuseFigures, "grammar" | "schemaBombMs"> & Pick<AbuseDetails, "wideBodyMs"> {
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
  const bodies = costlyBodies("m");
  const msOf = ({ name, body }: (typeof bodies)[number]): number => {
    const text = JSON.stringify(body);
    if (parseChat(text).kind !== "refused") throw new Error(`a body is accepted: ${name}`);
    return timed(() => parseChat(text));
  };
  return {
    grammar: {
      stepsPerChar: Math.max(...costlyGrammars.map((grammar) => stepsOf(grammar) / grammar.length)),
      worstMs: Math.max(...costlyGrammars.map((grammar) => timed(() => grammarMistake(grammar)))),
    },
    schemaBombMs: Math.max(...bodies.filter(({ name }) => name.includes("bomb")).map(msOf)),
    wideBodyMs: Math.max(...bodies.filter(({ wide }) => wide).map(msOf)),
  };
}

/** None for a grammar that is refused while it is read. */
function stepsOf(grammar: string): number {
  try {
    return grammarCost(grammarRules(grammar)).steps;
  } catch (error) {
    if (grammarMistake(grammar) === null) throw error;
    return 0;
  }
}

type Connections = Pick<
  AbuseDetails,
  "greedyConnections" | "greedyConnectionsOpen" | "residentBytesPerConnection"
> & { readonly bytes: number };

/**
 * The most bytes for one connection, while many send all that they can: by the backend's own count, and by the growth of
 * its memory. Only samples count that were taken while every connection was open.
 */
async function measureConnections({ backend }: Farm): Promise<Connections> {
  const address = `${backend.url.replace("http", "ws")}/api/sync`;
  const before = residentBytes(backend.child.pid);
  const sockets = Array.from({ length: greedyConnections }, () => openSync(address, retainedArguments()));
  const open = (): number => sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length;
  const connected = performance.now() + openWithinMs;
  while (open() < greedyConnections && performance.now() < connected) await sleep(50);
  let leastOpen = open();
  let most = 0;
  let resident = before;
  for (let sample = 0; sample < 60; sample++) {
    const bytes = await retainedBytes(backend.url);
    if (sample % 10 === 0) resident = Math.max(resident, residentBytes(backend.child.pid));
    leastOpen = Math.min(leastOpen, open());
    most = Math.max(most, bytes);
    await sleep(50);
  }
  for (const socket of sockets) socket.close();
  return {
    bytes: most / Math.max(1, leastOpen),
    greedyConnections,
    greedyConnectionsOpen: leastOpen,
    residentBytesPerConnection: (resident - before) / Math.max(1, leastOpen),
  };
}

const gauge = /^convex_embedded_anonymous_bytes (\d+(?:\.\d+)?)/m;

async function retainedBytes(url: string): Promise<number> {
  const found = gauge.exec(await (await fetch(`${url}/metrics`)).text());
  if (found === null) throw new Error("/metrics does not say how many bytes are retained");
  return Number(found[1]);
}

type UnderAbuse = Omit<AbuseDetails, keyof Connections | "wideBodyMs"> & {
  readonly healthP99Ms: number;
  readonly hurt: number;
};

async function measureUnderAbuse(farm: Farm): Promise<UnderAbuse> {
  const { organization, setup, backend, modelId } = farm;
  const attacker = await setup.issueKey(organization.organizationId, "attacker");
  const health: number[] = [];
  let over = false;
  const probe = new Worker(new URL("health-probe.ts", import.meta.url), {
    workerData: { address: `${backend.url}/health`, everyMs: healthEveryMs },
  });
  probe.on("message", (ms: number) => health.push(ms));
  const before = residentBytes(backend.child.pid);
  let resident = before;
  const watch = setInterval(() => (resident = Math.max(resident, residentBytes(backend.child.pid))), 1_000);
  let answered = 0;
  let hurt = 0;
  const neighbor = async (): Promise<void> => {
    const client = makeClient(backend.siteUrl, organization.apiKey);
    const prompts = demoPrompts(20);
    for (let call = 0; !over || call === 0; call++) {
      const prompt = prompts[call % prompts.length];
      if (prompt === undefined) return;
      const { outcome } = await ask(client, modelId, prompt, call % 2 === 0);
      if (outcome.kind === "answered") answered += 1;
      else hurt += 1;
      await sleep(100);
    }
  };
  const neighbors = neighbor();
  const kinds = hostileCalls(farm, attacker);
  const sent = new Map(kinds.map(({ kind }) => [kind, 0]));
  const queue = Array.from({ length: callsOfEachKind }, () => kinds).flat();
  const until = performance.now() + abuseForMs;
  let lost = 0;
  const attack = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined && performance.now() < until; next = queue.pop()) {
      sent.set(next.kind, (sent.get(next.kind) ?? 0) + 1);
      await next.send().catch(() => (lost += 1));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, attack));
  over = true;
  await probe.terminate();
  clearInterval(watch);
  // On a slow machine the last call is left unanswered.
  await Promise.race([neighbors, sleep(lastAnswerWithinMs)]);
  return {
    healthP99Ms: quantile(health, 0.99),
    hurt,
    residentBytesUnderAbuse: resident - before,
    hostileCalls: [...sent.values()].reduce((sum, each) => sum + each, 0),
    hostileCallsOfEachKind: Math.min(...sent.values()),
    hostileCallsLost: lost,
    neighborsAnswered: answered,
    healthAsked: health.length,
    healthWorstMs: Math.max(...health),
  };
}
