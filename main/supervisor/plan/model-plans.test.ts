import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ModelFigures, ModelFile } from "../../../app/contract/runner.ts";
import { silentLog } from "../../log.ts";
import { afterAnother, speedOf } from "../../runner/speed.ts";
import { backendOrder, chooseSequences } from "./backends.ts";
import { fitModel } from "./model-fit.ts";
import { ModelKnowledge } from "./model-knowledge.ts";
import { ModelPlans } from "./model-plans.ts";

const mb = 2 ** 20;
/** 4 GB, and half a gigabyte for 4,096 tokens. */
const figures: ModelFigures = {
  modelBytes: 4_096 * mb,
  contextBytes: 64 * mb,
  tokenBytes: mb / 8,
  embeddingBytes: 0,
  embeddingTokenBytes: 0,
  trainedTokens: 8_192,
  layers: 32,
};

describe("fitModel", () => {
  const wanted = { contextTokens: 4_096, sequences: 4 };
  it.each([
    ["all of it", 8_192, { contextTokens: 4_096, sequences: 4 }],
    ["fewer sequences", 5_600, { contextTokens: 4_096, sequences: 2 }],
    ["a shorter context", 4_850, { contextTokens: 3_072, sequences: 1 }],
    ["the shortest", 4_716, { contextTokens: 2_048, sequences: 1 }],
  ])("gives %s", (_, memoryMb, fit) => {
    expect(fitModel(figures, wanted, memoryMb * mb)).toMatchObject({ kind: "fits", ...fit });
  });

  it("takes no more than there is, whatever there is", () => {
    for (let memoryMb = 4_716; memoryMb < 9_000; memoryMb += 37) {
      const fit = fitModel(figures, wanted, memoryMb * mb);
      expect(fit.kind).toBe("fits");
      if (fit.kind === "fits") expect(fit.bytes).toBeLessThanOrEqual(memoryMb * mb);
    }
  });

  it("says how much is missing", () => {
    expect(fitModel(figures, wanted, 4_000 * mb)).toEqual({ kind: "too-large", needBytes: 4_716 * mb });
  });

  it("leaves room for the context of a model's embeddings, once for all sequences", () => {
    const embedding = { ...figures, embeddingBytes: 16 * mb, embeddingTokenBytes: mb / 4 };
    const all = 300 + 4_096 + 4 * (64 + 512);
    const embeddingMb = 16 + 1_024;
    const fit = (memoryMb: number) => fitModel(embedding, wanted, memoryMb * mb);
    expect(fit(all + embeddingMb)).toMatchObject({ sequences: 4, bytes: (all + embeddingMb) * mb });
    expect(fit(all + embeddingMb - 1)).toMatchObject({ contextTokens: 4_096, sequences: 3 });
    const shorter = fit(300 + 4_096 + 64 + 16 + (3_072 * 3) / 8);
    expect(shorter).toMatchObject({ contextTokens: 3_072, sequences: 1 });
    expect(fit(4_716)).toEqual({ kind: "too-large", needBytes: (4_716 + 16 + 512) * mb });
  });

  it("gives no more context than the model was trained for", () => {
    const small = { ...figures, trainedTokens: 1_024 };
    expect(fitModel(small, wanted, 99_999 * mb)).toMatchObject({ contextTokens: 1_024 });
  });
});

describe("backendOrder", () => {
  const machine = {
    platform: "linux",
    arch: "x64",
    gpu: true,
    someDenied: false,
    gpuCrashed: false,
  } as const;
  it.each([
    [{}, ["cuda", "vulkan", "cpu"]],
    [{ platform: "win32" }, ["cuda", "vulkan", "cpu"]],
    [{ arch: "arm64" }, ["vulkan", "cpu"]],
    [{ platform: "darwin", arch: "arm64" }, ["metal", "cpu"]],
    [{ platform: "darwin" }, ["cpu"]],
    [{ platform: "freebsd" }, ["cpu"]],
    [{ gpu: false }, ["cpu"]],
    [{ someDenied: true }, ["cuda", "cpu"]],
    [{ platform: "win32", someDenied: true }, ["cuda", "cpu"]],
    [{ arch: "arm64", someDenied: true }, ["cpu"]],
    [{ platform: "darwin", arch: "arm64", someDenied: true }, ["cpu"]],
    [{ gpuCrashed: true }, ["cpu"]],
  ] as const)("of %j is %j", (changed, order) => {
    expect(backendOrder({ ...machine, ...changed })).toEqual(order);
  });
});

describe("chooseSequences", () => {
  it.each([
    [1, undefined, 1],
    [2, undefined, 2],
    [8, undefined, 4],
    [1, "3", 3],
    [1, "0", 1],
    [1, "17", 1],
    [1, "many", 1],
  ])("%i threads, override %s: %i", (threads, override, sequences) => {
    expect(chooseSequences(threads, override)).toBe(sequences);
  });
});

describe("speeds", () => {
  const usage = { promptTokens: 120, completionTokens: 51, cachedPromptTokens: 20 };
  it("are of what was read and written", () => {
    expect(speedOf({ usage, timing: { prefillMs: 500, generateMs: 2_000 } })).toEqual({
      prefill: 200,
      generate: 25,
    });
  });

  it("say nothing where there was too little of it", () => {
    expect(speedOf({ usage, timing: { prefillMs: 1, generateMs: 2_000 } })).toBeNull();
    expect(
      speedOf({ usage: { ...usage, cachedPromptTokens: 110 }, timing: { prefillMs: 50, generateMs: 2_000 } }),
    ).toBeNull();
  });

  it("move towards what was measured last", () => {
    expect(afterAnother(null, { prefill: 100, generate: 10 })).toEqual({ prefill: 100, generate: 10 });
    expect(afterAnother({ prefill: 100, generate: 10 }, { prefill: 200, generate: 10 })).toEqual({
      prefill: 130,
      generate: 10,
    });
  });
});

describe("plans", { timeout: 60_000 }, () => {
  const model: ModelFile = {
    modelId: "m",
    path: "/m",
    sha256: "a".repeat(64),
    sizeBytes: 1,
    contextTokens: 4_096,
  };

  async function withPlans(
    memory: number | (() => number | null),
    test: (plans: ModelPlans, asked: string[], path: string) => Promise<void>,
  ): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), "gleaner-plans-"));
    const path = join(folder, "models.json");
    try {
      const knowledge = await ModelKnowledge.open(path, silentLog);
      const asked: string[] = [];
      const inspect = (file: ModelFile) => {
        asked.push(file.modelId);
        return Promise.resolve(file.modelId === "broken" ? null : figures);
      };
      const memoryBytes = typeof memory === "number" ? () => memory * mb : memory;
      const plans = new ModelPlans({ knowledge, inspect, memoryBytes, threads: 4, log: silentLog });
      await test(plans, asked, path);
      await knowledge.flush();
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  it("look at a file once, and remember it when the program starts again", () =>
    withPlans(8_192, async (plans, asked, path) => {
      expect(plans.fits(model)).toBe(false);
      expect(await plans.learn([model])).toBe(true);
      expect(await plans.learn([model])).toBe(false);
      expect(asked).toEqual(["m"]);
      expect(plans.planFor(model)).toMatchObject({
        contextTokens: 4_096,
        sequences: 4,
        threads: 4,
        backends: ["cpu"],
      });
      plans.measured(model, { prefill: 100, generate: 10, backend: "cpu" });
      // As long as its file is written, at the latest.
      await expect
        .poll(async () => (await ModelKnowledge.open(path, silentLog)).speed(model.sha256), {
          timeout: 30_000,
        })
        .toEqual({ prefill: 100, generate: 10, backend: "cpu" });
      expect((await ModelKnowledge.open(path, silentLog)).figures(model.sha256)).toEqual(figures);
    }));

  it("take none that cannot be read, and ask for it again later", () =>
    withPlans(8_192, async (plans, asked) => {
      const broken = { ...model, modelId: "broken", sha256: "b".repeat(64) };
      expect(await plans.learn([broken])).toBe(false);
      expect(plans.fits(broken)).toBe(false);
      await plans.learn([broken]);
      expect(asked).toEqual(["broken", "broken"]);
    }));

  it("look at no other file once they are not to go on", () =>
    withPlans(8_192, async (plans, asked) => {
      const broken = { ...model, modelId: "broken", sha256: "b".repeat(64) };
      expect(await plans.learn([broken, model], () => asked.length === 0)).toBe(false);
      expect(asked).toEqual(["broken"]);
    }));

  it("keep to the memory that the rules allow", () =>
    withPlans(8_192, async (plans) => {
      await plans.learn([model]);
      plans.setLimits({ gpu: false, deniedGpus: [], memoryMb: 4_850 }, [model]);
      expect(plans.planFor(model)).toMatchObject({ contextTokens: 3_072, sequences: 1 });
      plans.setLimits({ gpu: false, deniedGpus: [], memoryMb: 1_000 }, [model]);
      expect(plans.fits(model)).toBe(false);
      plans.setLimits({ gpu: false, deniedGpus: [], memoryMb: null }, [model]);
      expect(plans.planFor(model)).toMatchObject({ contextTokens: 4_096, sequences: 4 });
    }));

  it("stay as they are while nobody can tell what is free", () => {
    const free = [8_192 * mb, null, 4_850 * mb];
    return withPlans(
      () => free.shift() ?? null,
      async (plans) => {
        const limits = { gpu: false, deniedGpus: [], memoryMb: null };
        await plans.learn([model]);
        plans.setLimits(limits, [model]);
        expect(plans.planFor(model)).toMatchObject({ contextTokens: 4_096, sequences: 4 });
        plans.setLimits(limits, [model]);
        expect(plans.planFor(model)).toMatchObject({ contextTokens: 3_072, sequences: 1 });
      },
    );
  });

  it("take a model that was too large once there is room for it, and not before", () => {
    let freeMb = 1_024;
    return withPlans(
      () => freeMb * mb,
      async (plans) => {
        expect(await plans.learn([model])).toBe(true);
        expect(plans.fits(model)).toBe(false);
        expect(await plans.learn([model])).toBe(false);
        freeMb = 8_192;
        expect(await plans.learn([model])).toBe(true);
        expect(plans.fits(model)).toBe(true);
      },
    );
  });

  it("say what is left beside a model that was not made for embeddings", () =>
    withPlans(8_192, async (plans) => {
      await plans.learn([model]);
      expect(plans.planFor(model).spareBytes).toBe((8_192 - (300 + 4_096 + 4 * (64 + 512))) * mb);
    }));

  it("follow a context that the organization changed, longer or shorter", () =>
    withPlans(8_192, async (plans) => {
      await plans.learn([model]);
      for (const contextTokens of [4_000, 4_500]) {
        plans.consider([{ ...model, contextTokens }]);
        expect(plans.planFor(model).contextTokens).toBe(contextTokens);
      }
    }));

  it("give a GPU up for a model under which the process ended", () =>
    withPlans(8_192, async (plans) => {
      await plans.learn([model]);
      plans.setLimits({ gpu: true, deniedGpus: [], memoryMb: null }, [model]);
      const before = plans.planFor(model).backends;
      plans.crashed(model);
      expect(before.at(-1)).toBe("cpu");
      expect(plans.planFor(model).backends).toEqual(["cpu"]);
    }));
});
