import { join } from "node:path";
import { expect, it } from "vitest";
import { cudaEnvironment, gpuEnvironment, runnerEnvironment } from "./runner-environment.ts";

it("changes nothing if every GPU is allowed", () => {
  expect(gpuEnvironment([])).toEqual({});
});

it("names the allowed GPUs, in the order of the bus", () => {
  const { CUDA_DEVICE_ORDER, CUDA_VISIBLE_DEVICES } = gpuEnvironment([1, 2]);
  expect(CUDA_DEVICE_ORDER).toBe("PCI_BUS_ID");
  expect(CUDA_VISIBLE_DEVICES).toMatch(/^0,3,4,/);
  expect(gpuEnvironment([0])["CUDA_VISIBLE_DEVICES"]).toMatch(/^1,2,/);
});

it("looks for CUDA beside the device's key, or in the folder that the environment names", () => {
  expect(cudaEnvironment("/data", {})).toEqual({ GLEANER_CUDA: join("/data", "cuda") });
  expect(cudaEnvironment("/data", { GLEANER_CUDA: "/opt/cuda" })).toEqual({ GLEANER_CUDA: "/opt/cuda" });
});

const donors = {
  HOME: "/home/me",
  USER: "me",
  PATH: "/home/me/bin:/usr/bin",
  LANG: "de_DE.UTF-8",
  LC_ALL: "C",
  TZ: "Europe/Berlin",
  CUDA_HOME: "/opt/cuda",
  CUDA_API_TOKEN: "secret",
  VK_DRIVER_FILES: "/etc/vulkan/icd.d/x.json",
  LD_LIBRARY_PATH: "/opt/cuda/lib64",
  LD_PRELOAD: "/home/me/evil.so",
  NODE_OPTIONS: "--require /home/me/evil.js",
  GLEANER_CODE: "secret",
  GLEANER_ADMIN_KEY: "secret",
  GLEANER_CONFINED: "7",
  HTTPS_PROXY: "http://me:secret@proxy",
  SSH_AUTH_SOCK: "/run/agent",
  DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/user/1000/bus",
  GITHUB_TOKEN: "secret",
  GLEANER_TEST_PRIORITY: "normal",
};

it("passes on only what llama.cpp, drivers, the loader and the locale need", () => {
  expect(runnerEnvironment(donors, "linux", null)).toEqual({
    LANG: "de_DE.UTF-8",
    LC_ALL: "C",
    TZ: "Europe/Berlin",
    CUDA_HOME: "/opt/cuda",
    VK_DRIVER_FILES: "/etc/vulkan/icd.d/x.json",
    LD_LIBRARY_PATH: "/opt/cuda/lib64",
    GLEANER_TEST_PRIORITY: "normal",
    UV_USE_IO_URING: "0",
    HOME: "/nonexistent",
    PATH: "/usr/bin:/bin",
  });
});

it("gives drivers a folder of the runner's own in place of the person's", () => {
  const found = runnerEnvironment(donors, "linux", "/data/gpu-cache");
  const folders = ["HOME", "TMPDIR", "XDG_CACHE_HOME", "MESA_SHADER_CACHE_DIR"].map((name) => found[name]);
  expect(new Set(folders)).toEqual(new Set(["/data/gpu-cache"]));
  expect(found["CUDA_CACHE_PATH"]).toBe(join("/data/gpu-cache", "cuda"));
});

it("keeps of Windows' search path only what an administrator has installed", () => {
  const env = {
    SystemRoot: "C:\\Windows",
    Path: "C:\\Users\\me\\bin;C:\\Program Files\\NVIDIA\\bin;C:\\Windows\\..\\Users\\me;.;C:\\Windows\\System32",
    ProgramFiles: "C:\\Program Files",
    USERPROFILE: "C:\\Users\\me",
    OneDrive: "C:\\Users\\me\\OneDrive",
  };
  const found = runnerEnvironment(env, "win32", "C:\\cache");
  expect(found["PATH"]).toBe("C:\\Windows\\System32;C:\\Program Files\\NVIDIA\\bin;C:\\Windows\\System32");
  expect(found["ProgramFiles"]).toBe("C:\\Program Files");
  expect(Object.values(found).filter((value) => value.includes("Users"))).toEqual([]);
});
