import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { known, unknown } from "../../../app/facts/facts.ts";
import { treeOf } from "../base/tree.fixture.ts";
import { drmMeter } from "./drm.ts";
import { parseFdinfo } from "./fdinfo.ts";
import { ours, recorded } from "./recorded.fixture.ts";

const amd = recorded("fdinfo-amdgpu.txt");
const intel = recorded("fdinfo-i915.txt");
const xe = recorded("fdinfo-xe.txt");
const runner = 4_242;

/** A GPU in /sys/class/drm. */
const card = (number: number, driver: string, place: string): Record<string, string> => ({
  [`cards/card${number}/device/uevent`]: `DRIVER=${driver}\nPCI_SLOT_NAME=${place}\n`,
  [`cards/renderD${128 + number}/device/uevent`]: `DRIVER=${driver}\nPCI_SLOT_NAME=${place}\n`,
});
const open = (pid: number, file: number, node: string, fdinfo: string): Record<string, string> => ({
  [`proc/${pid}/fd/${file}`]: `-> /dev/dri/${node}`,
  [`proc/${pid}/fdinfo/${file}`]: fdinfo,
});

/** Reads after `change` was made in the five seconds since the first look. */
async function readAfter(
  files: Record<string, string>,
  change: (write: (path: string, text: string) => void) => void = () => undefined,
  isHidden?: (processFolder: string) => boolean,
) {
  const tree = treeOf({ "proc/uptime": "1", "cards/version": "drm", ...files });
  let now = 1_000;
  const wait = (): Promise<void> => {
    change((path, text) => writeFileSync(join(tree, path), text));
    now += 5_000;
    return Promise.resolve();
  };
  const places = { cards: join(tree, "cards"), processes: join(tree, "proc") };
  return drmMeter(ours(runner), places, wait, () => now, isHidden).read();
}

describe("fdinfo", () => {
  it("reads amdgpu's, i915's and xe's counters", () => {
    expect(parseFdinfo(amd)).toEqual({
      id: "42",
      engines: [
        { name: "gfx", busy: 784_986_021_477, total: null, count: 1 },
        { name: "compute", busy: 123_456_789, total: null, count: 1 },
      ],
    });
    expect(parseFdinfo(intel)?.engines).toContainEqual({
      name: "video",
      busy: 2_000_000_000,
      total: null,
      count: 2,
    });
    expect(parseFdinfo(intel)?.engines).toHaveLength(4);
    expect(parseFdinfo(xe)?.engines).toEqual([
      { name: "rcs", busy: 28_257_900, total: 7_655_183_225, count: 1 },
      { name: "ccs", busy: 0, total: 7_655_183_225, count: 4 },
    ]);
    expect(parseFdinfo("pos:\t0\nflags:\t02\n")).toBeNull();
  });
});

describe("GPUs of the kernel's drivers", () => {
  const withClient = (text: string, id: number): string =>
    text.replace(/drm-client-id:\t\d+/, `drm-client-id:\t${id}`);

  it.each([
    ["i915", {}, unknown],
    ["amdgpu", { "cards/renderD128/device/gpu_busy_percent": "12\n" }, known(0.12)],
    ["amdgpu", {}, unknown],
  ])(
    "knows %s's load only by the driver's own sum (%j) while another person's programs are hidden",
    async (driver, files, otherLoad) => {
      const all = { ...card(0, driver, "0000:03:00.0"), ...files, "proc/77/fd/0": "-> /dev/null" };
      const isHidden = (folder: string): boolean => folder.endsWith("/77");
      expect(await readAfter(all, undefined, isHidden)).toMatchObject([{ otherLoad }]);
      expect(await readAfter(all)).toMatchObject([{ otherLoad: { known: true } }]);
    },
  );

  it("subtracts our runner's time, and counts a client with several files once", async () => {
    const mine = withClient(amd, 7);
    const files = {
      ...card(0, "amdgpu", "0000:03:00.0"),
      "cards/renderD128/device/gpu_busy_percent": "97\n",
      "cards/renderD128/device/mem_info_vram_total": `${8 * 2 ** 30}\n`,
      "cards/renderD128/device/mem_info_vram_used": `${3 * 2 ** 30}\n`,
      ...open(900, 5, "renderD128", amd),
      ...open(900, 6, "card0", amd),
      ...open(runner, 9, "renderD128", mine),
    };
    const found = await readAfter(files, (write) => {
      // Two of five seconds for the other program, three for ours.
      const later = amd.replace("784986021477", "786986021477");
      write("proc/900/fdinfo/5", later);
      write("proc/900/fdinfo/6", later);
      write(`proc/${runner}/fdinfo/9`, mine.replace("123456789 ns", "3123456789 ns"));
    });
    expect(found).toEqual([
      {
        id: "0000:03:00.0",
        index: null,
        integrated: false,
        otherLoad: known(0.4),
        vramFreeMb: known(5_120),
      },
    ]);
  });

  it("takes amdgpu's own sum, with other users' programs in it, while we do not use that GPU", async () => {
    const files = {
      ...card(0, "amdgpu", "0000:03:00.0"),
      "cards/renderD128/device/gpu_busy_percent": "97\n",
    };
    expect((await readAfter(files))[0]?.otherLoad).toEqual(known(0.97));
  });

  it("shares the time of an engine that the GPU has several times", async () => {
    const files = { ...card(0, "i915", "0000:00:02.0"), ...open(900, 5, "renderD128", intel) };
    const found = await readAfter(files, (write) =>
      write("proc/900/fdinfo/5", intel.replace("2000000000 ns", "6000000000 ns")),
    );
    expect(found).toMatchObject([{ integrated: true, otherLoad: known(0.4) }]);
  });

  it("divides xe's cycles by all cycles that passed", async () => {
    const files = { ...card(0, "xe", "0000:03:00.0"), ...open(900, 5, "renderD128", xe) };
    const found = await readAfter(files, (write) =>
      write("proc/900/fdinfo/5", xe.replaceAll("7655183225", "7655193225").replace("28257900", "28260400")),
    );
    expect(found).toMatchObject([{ otherLoad: known(0.25) }]);
  });

  it("counts a program that came between two samples", async () => {
    const files = { ...card(0, "i915", "0000:00:02.0"), ...open(900, 5, "renderD128", "pos:\t0\n") };
    const text = "drm-client-id:\t77\ndrm-engine-render:\t2500000000 ns\n";
    const idle = "drm-client-id:\t76\ndrm-engine-render:\t0 ns\n";
    const found = await readAfter({ ...files, "proc/900/fdinfo/5": idle }, (write) =>
      write("proc/900/fdinfo/5", text),
    );
    expect(found).toMatchObject([{ otherLoad: known(0.5) }]);
  });

  it("does not know the load where the driver or the kernel does not count", async () => {
    const old = {
      ...card(0, "i915", "0000:00:02.0"),
      ...open(900, 5, "renderD128", "pos:\t0\nflags:\t02\n"),
    };
    expect(await readAfter(old)).toMatchObject([{ otherLoad: unknown }]);
    expect(await readAfter(card(0, "nvidia", "0000:01:00.0"))).toMatchObject([
      { id: "0000:01:00.0", otherLoad: unknown },
    ]);
    expect(await readAfter({})).toEqual([]);
  });
});
