import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { programFiles } from "../../main/program-files.ts";
import { type Image, makeImage } from "./dockerfile.ts";
import { freePorts } from "./free-port.ts";

const root = resolve(import.meta.dirname, "../..");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-docker-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** An image's commands as Docker runs them, but with its files in a folder and other ports. */
class Container {
  readonly #image: Image;
  readonly #ports: readonly [from: string, to: number][];
  readonly #env: NodeJS.ProcessEnv;

  constructor(image: Image, ports: readonly [string, number][], env: NodeJS.ProcessEnv) {
    this.#image = image;
    this.#ports = ports;
    const own = Object.entries(image.env).map(([name, value]) => [name, this.#translated(value)]);
    this.#env = {
      ...(Object.fromEntries(own) as NodeJS.ProcessEnv),
      HOME: folder,
      PATH: process.env["PATH"],
      ...env,
    };
  }

  start(...args: readonly string[]): ChildProcess {
    const command = [...this.#image.entryPoint, ...args].map((each) => this.#translated(each));
    expect(command[0]).toBe("node");
    const child = spawn(process.execPath, command.slice(1), {
      cwd: this.#image.workFolder,
      env: this.#env,
      stdio: ["ignore", "ignore", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  }

  /** Null if healthy, or else the failed command's error. */
  async health(): Promise<Error | null> {
    const command = this.#image.healthCheck.map((each) => this.#translated(each));
    expect(command[0]).toBe("node");
    const options = { cwd: this.#image.workFolder, env: this.#env };
    return await new Promise((resolve) => execFile(process.execPath, command.slice(1), options, resolve));
  }

  #translated(text: string): string {
    const volume = this.#image.volumes.find((path) => text === path || text.startsWith(`${path}/`));
    const path = volume === undefined ? text : join(this.#image.folder, text);
    return this.#ports.reduce((result, [from, to]) => result.replaceAll(from, String(to)), path);
  }
}

async function stopped(child: ChildProcess): Promise<unknown> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  return (await ended)[0];
}

describe("the Dockerfiles", () => {
  test("the backend's image has the files that it needs, and becomes healthy", async () => {
    const image = await makeImage(root, "resources/docker/backend.Dockerfile", folder);
    expect(image).toMatchObject({ user: "node", volumes: ["/data"] });
    const port = await freePorts(2);
    const container = new Container(
      image,
      [
        ["3210", port],
        ["3211", port + 1],
      ],
      {
        CONVEX_EMBEDDED_ADMIN_KEY: "test|0123456789",
        GLEANER_SIGNING_KEY: randomBytes(32).toString("base64url"),
      },
    );
    expect(await container.health()).not.toBeNull();
    const child = container.start("--public-url", "https://api.gleaner.example.org");
    await expect.poll(() => container.health()).toBeNull();
    const page = await fetch(`http://127.0.0.1:${port + 1}/console/`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<script");
    expect(await stopped(child)).toBe(0);
  });

  test("the donor's image has the files that it needs, and becomes healthy while it looks for its backend", async () => {
    const image = await makeImage(root, "resources/docker/donor.Dockerfile", folder);
    expect(image).toMatchObject({ user: "node", volumes: ["/data"], env: { GLEANER_DATA: "/data" } });
    const files = programFiles(join(image.workFolder, "out/headless/headless.js"));
    for (const file of [files.runner, files.demoModel, files.package]) await access(file);
    const container = new Container(image, [], { GLEANER_BACKEND: "http://127.0.0.1:9" });
    expect(await container.health()).not.toBeNull();
    const child = container.start();
    await expect.poll(() => container.health()).toBeNull();
    expect(await stopped(child)).toBe(0);
    expect(await container.health()).not.toBeNull();
  });
});
