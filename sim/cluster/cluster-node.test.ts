import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messagesOf } from "./json-objects.ts";
import { linesOf } from "./lines.ts";
import { ClusterNode } from "./node.ts";
import { reply } from "./reply.ts";

const init = {
  src: "client",
  dest: "cluster",
  body: { type: "init", msg_id: 1, workers: ["w1", "w2", "w3"], jobs_to_distribute: 6 },
};
const stealRequest = { type: "steal_job", msg_id: 1, thief_worker: "w3", busy_workers: ["w1", "w2"] };

function talk(messages: readonly unknown[], seed = 1): Record<string, unknown>[] {
  const node = new ClusterNode(seed);
  return messages.map(
    (message) =>
      JSON.parse(reply(node, typeof message === "string" ? message : JSON.stringify(message))) as Record<
        string,
        unknown
      >,
  );
}

describe("the protocol", () => {
  it("a node answers an envelope with an envelope, src and dest swapped, and a bare body with a bare body", () => {
    const [ok, stolen] = talk([init, stealRequest]);
    expect(ok).toEqual({ src: "cluster", dest: "client", body: { type: "init_ok", in_reply_to: 1 } });
    expect(stolen).toMatchObject({ type: "job_stolen", in_reply_to: 1, thief: "w3", victim_queue_size: 2 });
    expect(stolen!["job_id"]).toBe(stolen!["victim"] === "w1" ? "job2" : "job4");
  });

  it("a node deals the default jobs without an init, and draws the same victims for the same seed", () => {
    expect(talk([stealRequest, stealRequest, stealRequest], 5)).toEqual(
      talk([init, stealRequest, stealRequest, stealRequest], 5).slice(1),
    );
    const victims = Array.from({ length: 20 }, (_, seed) => talk([stealRequest], seed)[0]!["victim"]);
    expect(new Set(victims)).toEqual(new Set(["w1", "w2"]));
  });

  it("a node answers nothing_to_steal without an error if no worker has a job to steal", () => {
    const [, nothing] = talk([
      { type: "init", msg_id: 1, workers: ["w1", "w2"], jobs_to_distribute: 0 },
      { type: "steal_job", msg_id: 2, thief_worker: "w2", busy_workers: ["w1"] },
    ]);
    expect(nothing).toEqual({ type: "nothing_to_steal", in_reply_to: 2, thief: "w2" });
  });

  it("a node never gives a stolen job to another thief, and its thief runs it first", () => {
    const names = ["w1", "w2", "w3"];
    const thefts = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(thefts, fc.nat(), (thieves, seed) => {
        const answers = talk(
          thieves.map((thief) => ({ type: "steal_job", thief_worker: thief, busy_workers: names })),
          seed,
        );
        const jobs = answers.flatMap((answer) => answer["job_id"] ?? []);
        expect(new Set(jobs).size).toBe(jobs.length);
      }),
    );
    const [, , ran] = talk([
      { type: "init", workers: ["w1", "w2"], jobs_to_distribute: 4 },
      { type: "steal_job", thief_worker: "w2", busy_workers: ["w1"] },
      { type: "run_simulation", duration_ms: 10_000 },
    ]);
    const { w2 } = ran!["workers"] as Record<string, { jobs: string[] }>;
    expect(w2!.jobs[0]).toBe("job2");
  });

  it("a cluster is not all idle until a stolen job has run", () => {
    const check = { type: "check_cluster_state", msg_id: 3 };
    const [, , before, ran, after] = talk([
      { type: "init", msg_id: 1, workers: ["w1", "w2"], jobs_to_distribute: 1 },
      { type: "steal_job", msg_id: 2, thief_worker: "w2", busy_workers: ["w1"] },
      check,
      { type: "run_simulation", msg_id: 4, duration_ms: 1_000 },
      check,
    ]);
    expect(before).toMatchObject({
      type: "cluster_state_ok",
      workers: { w1: { queue_size: 0, state: "idle" }, w2: { queue_size: 1, state: "busy" } },
      all_idle: false,
    });
    expect(ran).toMatchObject({
      type: "simulation_ok",
      in_reply_to: 4,
      workers: { w2: { jobs_run: 1, jobs: ["job1"] } },
    });
    expect(after).toMatchObject({ all_idle: true });
  });

  it("a cluster is not all idle while a job is in flight", () => {
    const [, , state] = talk([
      { type: "init", workers: ["w1"], jobs_to_distribute: 1 },
      { type: "run_simulation", duration_ms: 10 },
      { type: "check_cluster_state" },
    ]);
    expect(state).toMatchObject({ workers: { w1: { queue_size: 0, state: "running" } }, all_idle: false });
  });

  it.each([
    ["not JSON", "garbage", "malformed"],
    ["an array", "[1]", "malformed"],
    ["a body that is not an object", { src: "a", dest: "b", body: 7 }, "malformed"],
    ["an unknown type", { type: "dance", msg_id: 4 }, "unknown_type"],
    ["no workers", { type: "init", msg_id: 4, workers: [], jobs_to_distribute: 1 }, "malformed"],
    ["a repeated name", { type: "init", msg_id: 4, workers: ["a", "a"], jobs_to_distribute: 1 }, "malformed"],
    ["half a job", { type: "init", msg_id: 4, workers: ["a"], jobs_to_distribute: 0.5 }, "malformed"],
    ["too many jobs", { type: "init", msg_id: 4, workers: ["a"], jobs_to_distribute: 1e9 }, "malformed"],
    ["a negative time", { type: "run_simulation", msg_id: 4, duration_ms: -1 }, "malformed"],
    ["an unknown worker", { ...stealRequest, msg_id: 4, thief_worker: "w9" }, "unknown_worker"],
  ])("a node answers %s with an error, and then the next request", (_, message, code) => {
    const [answer, next] = talk([message, { type: "check_cluster_state", msg_id: 5 }]);
    const body = (answer!["body"] ?? answer) as Record<string, unknown>;
    expect(body).toMatchObject({ type: "error", code });
    expect(body["text"]).toEqual(expect.stringMatching(/\w+/));
    if (code !== "malformed") expect(body["in_reply_to"]).toBe(4);
    expect(next).toMatchObject({ type: "cluster_state_ok", in_reply_to: 5 });
  });

  it("a node answers any line at all with one line of JSON", () => {
    const node = new ClusterNode(1);
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((body) => `{"body":${body}}`),
    );
    fc.assert(
      fc.property(anything, (line) => {
        const answer = reply(node, line);
        expect(answer).not.toContain("\n");
        expect(JSON.parse(answer)).toBeTypeOf("object");
      }),
    );
  });
});

describe("linesOf", () => {
  it("linesOf splits lines wherever the chunks end, and reports lines that are too long", async () => {
    const cut = async (chunks: readonly string[]) => {
      async function* source() {
        for (const chunk of chunks) yield Buffer.from(chunk, "latin1");
      }
      const lines: string[] = [];
      for await (const line of linesOf(source(), 8))
        lines.push(line.kind === "line" ? line.text : "TOO LONG");
      return lines;
    };
    expect(await cut(["ab", "c\nd", "\n\nlast"])).toEqual(["abc", "d", "", "last"]);
    expect(await cut(["0123456789", "0123\nok\n", "012345678"])).toEqual(["TOO LONG", "ok", "TOO LONG"]);
    expect(await cut(["\xc3", "\xa9\n"])).toEqual(["é"]);
  });
});

describe("messagesOf", () => {
  const read = async (input: string, mostBytes = 200) => {
    async function* source() {
      yield Buffer.from(input);
    }
    const messages: string[] = [];
    for await (const message of messagesOf(linesOf(source(), mostBytes), mostBytes)) {
      messages.push(message.kind === "message" ? message.text : message.kind);
    }
    return messages;
  };

  it("an object is one message however many lines it spans", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 4 }),
        fc.nat(4),
        async (objects, indent) => {
          const input = objects.map((object) => JSON.stringify(object, null, indent)).join("\n");
          const messages = await read(input, 1 << 20);
          expect(messages.map((text) => JSON.parse(text) as unknown)).toEqual(
            objects.map((object) => JSON.parse(JSON.stringify(object)) as unknown),
          );
        },
      ),
    );
  });

  it.each([
    ["is followed by another", '{"a": [1,\n{"b": 1}', ["broken", '{"b": 1}']],
    ["is followed by an indented one", '  {"a": 1\n  {"b": 1}', ["broken", '  {"b": 1}']],
    ["is followed by the end", '{"a":\n', ["broken"]],
    ["is not JSON in a later line", '{\n  oops\n}\nrest\n{"b": 1}\nx', ["broken", '{"b": 1}', "x"]],
    ["closes with another bracket", '{"a": [\n}\n{}', ["broken", "{}"]],
    ["is not JSON in its first line", "{oops\n{}", ["{oops", "{}"]],
    [
      "is too long",
      `{"a": "${"x".repeat(150)}",\n"b": "${"x".repeat(150)}",\n"c": 1}\n{}`,
      ["too long", "{}"],
    ],
    ["has a line that is too long", `{"a":\n"${"x".repeat(300)}"\n}\n{}`, ["too long", "{}"]],
  ])("messages go on with the next object after one that %s", async (_, input, messages) => {
    expect(await read(input)).toEqual(messages);
  });

  it("a long string that does not end is read in one pass", async () => {
    expect(await read(`{"${"\\\\".repeat(200_000)}`, 1 << 20)).toHaveLength(1);
  });
});

describe("the cluster-node program", () => {
  const script = fileURLToPath(new URL("../cluster-node.ts", import.meta.url));

  it("the program answers line by line while its input is open, and ends with it", async () => {
    const node = spawn(process.execPath, [script, "--seed", "2"], { stdio: ["pipe", "pipe", "inherit"] });
    const code = new Promise((resolve) => node.once("exit", resolve));
    const first = new Promise<string>((resolve) => node.stdout.once("data", (data) => resolve(String(data))));
    node.stdin.write(`${JSON.stringify(init)}\n`);
    expect(JSON.parse(await first)).toMatchObject({ body: { type: "init_ok" } });
    const rest = text(node.stdout);
    node.stdin.end(`nonsense\n${"x".repeat(2_000_000)}\n${JSON.stringify(stealRequest)}`);
    const answers = (await rest)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; code?: string });
    expect(answers.map(({ type, code }) => code ?? type)).toEqual(["malformed", "too_long", "job_stolen"]);
    expect(await code).toBe(0);
  });

  it("the program's default seed steals job2 of w1 first, in messages of several lines", async () => {
    const node = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
    const sample = { src: "client", dest: "cluster", body: stealRequest };
    node.stdin.end(
      `${JSON.stringify(init, null, 2)}\n\n${JSON.stringify(sample, null, 2)}\n{\n  "src": "client",\n`,
    );
    const answers = (await text(node.stdout))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(answers.map((message) => message["body"] ?? message)).toEqual([
      { type: "init_ok", in_reply_to: 1 },
      expect.objectContaining({ type: "job_stolen", victim: "w1", job_id: "job2", victim_queue_size: 2 }),
      { type: "error", code: "malformed", text: "The object is not closed at the end of the input." },
    ]);
  });

  it("the program refuses a seed that is not a number", async () => {
    const node = spawn(process.execPath, [script, "--seed", "x"], { stdio: ["ignore", "ignore", "pipe"] });
    expect(await text(node.stderr)).toContain('--seed takes a whole number, not "x"');
  });
});
