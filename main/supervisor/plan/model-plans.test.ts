import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ModelFile } from "../../../app/contract/runner.ts";
import { silentLog } from "../../log.ts";
import { figures, mb } from "./figures.fixture.ts";
import { ModelKnowledge } from "./model-knowledge.ts";
import { ModelPlans } from "./model-plans.ts";

describe("plans", () => {
  const model: ModelFile = {
    modelId: "m",
    path: "/m",
    sha256: "a".repeat(64),
    sizeBytes: 1,
    contextTokens: 4_096,
  };

  async function withPlans(
    memory: number | (() => number | null),
    test: (plans: ModelPlans, inspected: string[], path: string) => Promise<void>,
  ): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), "gleaner-plans-"));
    const path = join(folder, "models.json");
    try {
      const knowledge = await ModelKnowledge.open(path, silentLog);
      const inspected: string[] = [];
      const inspect = (file: ModelFile) => {
        inspected.push(file.modelId);
        return Promise.resolve(file.modelId === "broken" ? null : figures);
      };
      const memoryBytes = typeof memory === "number" ? () => memory * mb : memory;
      const plans = new ModelPlans({ knowledge, inspect, memoryBytes, threads: 4, log: silentLog });
      await test(plans, inspected, path);
      await knowledge.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  it("inspects a file only once, and remembers it after a restart of the program", () =>
    withPlans(8_192, async (plans, inspected, path) => {
      expect(plans.fits(model)).toBe(false);
      expect(await plans.learn([model])).toBe(true);
      expect(await plans.learn([model])).toBe(false);
      expect(inspected).toEqual(["m"]);
      expect(plans.planFor(model)).toMatchObject({
        contextTokens: 4_096,
        sequences: 4,
        threads: 4,
        backends: ["cpu"],
      });
      plans.measured(model, { prefill: 100, generate: 10, backend: "cpu" });
      // The file is written a little later.
      await expect
        .poll(async () => (await ModelKnowledge.open(path, silentLog)).speed(model.sha256), {
          timeout: 60_000,
        })
        .toEqual({ prefill: 100, generate: 10, backend: "cpu" });
      expect((await ModelKnowledge.open(path, silentLog)).figures(model.sha256)).toEqual(figures);
    }));

  it("leaves out a file that cannot be read, and inspects it again later", () =>
    withPlans(8_192, async (plans, inspected) => {
      const broken = { ...model, modelId: "broken", sha256: "b".repeat(64) };
      expect(await plans.learn([broken])).toBe(false);
      expect(plans.fits(broken)).toBe(false);
      await plans.learn([broken]);
      expect(inspected).toEqual(["broken", "broken"]);
    }));

  it("stops inspecting files when it may not continue", () =>
    withPlans(8_192, async (plans, inspected) => {
      const broken = { ...model, modelId: "broken", sha256: "b".repeat(64) };
      expect(await plans.learn([broken, model], () => inspected.length === 0)).toBe(false);
      expect(inspected).toEqual(["broken"]);
    }));

  it("plans within the memory that the rules allow", () =>
    withPlans(8_192, async (plans) => {
      await plans.learn([model]);
      plans.setLimits({ gpu: false, deniedGpus: [], memoryMb: 4_850 }, [model]);
      expect(plans.planFor(model)).toMatchObject({ contextTokens: 3_072, sequences: 1 });
      plans.setLimits({ gpu: false, deniedGpus: [], memoryMb: 1_000 }, [model]);
      expect(plans.fits(model)).toBe(false);
      plans.setLimits({ gpu: false, deniedGpus: [], memoryMb: null }, [model]);
      expect(plans.planFor(model)).toMatchObject({ contextTokens: 4_096, sequences: 4 });
    }));

  it("keeps a plan while the free memory is unknown", () => {
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

  it("accepts a model that was too large once there is room for it", () => {
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

  it("returns the memory left beside a model that was not made for embeddings", () =>
    withPlans(8_192, async (plans) => {
      await plans.learn([model]);
      expect(plans.planFor(model).spareBytes).toBe((8_192 - (300 + 4_096 + 4 * (64 + 512))) * mb);
    }));

  it("uses the context length that the organization sets", () =>
    withPlans(8_192, async (plans) => {
      await plans.learn([model]);
      for (const contextTokens of [4_000, 4_500]) {
        plans.refit([{ ...model, contextTokens }]);
        expect(plans.planFor(model).contextTokens).toBe(contextTokens);
      }
    }));

  it("passes over a backend that crashed twice, and uses it again when it has worked", () =>
    withPlans(8_192, async (plans) => {
      await plans.learn([model]);
      plans.setLimits({ gpu: true, deniedGpus: [], memoryMb: null }, [model]);
      const before = plans.planFor(model).backends;
      const [first = "cpu"] = before;
      plans.usedBackend(model.sha256, first, "worked");
      plans.usedBackend(model.sha256, first, "crashed");
      expect(plans.planFor(model).backends).toEqual(before);
      plans.usedBackend(model.sha256, first, "crashed");
      expect(plans.planFor(model).backends).toEqual(before.filter((backend) => backend !== first));
      plans.usedBackend(model.sha256, first, "worked");
      expect(plans.planFor(model).backends).toEqual(before);
    }));
});
