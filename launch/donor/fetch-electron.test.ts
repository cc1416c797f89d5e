import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { electronPackage, fetchElectron } from "./fetch-electron.ts";

// Checksums are checked from 1.3.2 on.
const version = "99.0.1";
const archiveName = `electron-v${version}-${process.platform}-${process.arch}.zip`;
const archive = zipOf("version", Buffer.from(`v${version}`));
const program = join("dist", "version");

let root: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "gleaner-electron-"));
  folder = join(root, "node_modules/electron");
  await mkdir(folder, { recursive: true });
  // The real installer, for a version that this test publishes.
  await cp(join(electronPackage(), "install.js"), join(folder, "install.js"));
  for (const scope of ["@electron", "@electron-internal"]) {
    await symlink(join(dirname(electronPackage()), scope), join(root, "node_modules", scope), "junction");
  }
  await writeFile(join(folder, "package.json"), JSON.stringify({ version }));
  const checksum = createHash("sha256").update(archive).digest("hex");
  await writeFile(join(folder, "checksums.json"), JSON.stringify({ [archiveName]: checksum }));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(root, { recursive: true, force: true });
});

/** Fetches from a mirror that answers so, and returns the outcome and all lines. */
async function fetchFrom(answer: RequestListener): Promise<{ failure: string | null; lines: string[] }> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    return await fetchVia(`http://127.0.0.1:${String(port)}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function fetchVia(mirror: string): Promise<{ failure: string | null; lines: string[] }> {
  vi.stubEnv("ELECTRON_MIRROR", mirror);
  vi.stubEnv("electron_config_cache", join(root, "cache"));
  const lines: string[] = [];
  const failure = await fetchElectron((line) => lines.push(line), { folder, waitsMs: [1, 1] });
  return { failure, lines };
}

it("fetches and unpacks Electron, and tells how far it is", async () => {
  const asked: (string | undefined)[] = [];
  const { failure, lines } = await fetchFrom(({ url }, response) => {
    asked.push(url);
    response.writeHead(200, { "content-length": archive.length }).end(archive);
  });
  expect(failure).toBeNull();
  expect(asked).toEqual([`/v${version}/${archiveName}`]);
  expect(lines).toEqual([`Fetching Electron ${version}, once …`, "Electron: 100 % of 0 MB"]);
  expect(await readFile(join(folder, program), "utf8")).toBe(`v${version}`);
});

it("tries again while the server is overloaded", async () => {
  let requests = 0;
  const { failure, lines } = await fetchFrom((_request, response) => {
    requests += 1;
    if (requests < 3) response.writeHead(503).end();
    else response.writeHead(200, { "content-length": archive.length }).end(archive);
  });
  expect(failure).toBeNull();
  expect(lines.filter((line) => line.includes("answers 503. Trying again"))).toHaveLength(2);
});

it("tries again when the connection breaks off, and gives up after three times", async () => {
  let requests = 0;
  const { failure } = await fetchFrom((_request, response) => {
    requests += 1;
    response.writeHead(200, { "content-length": archive.length }).write(archive.subarray(0, 20), () => {
      response.destroy();
    });
  });
  expect(requests).toBe(3);
  expect(failure).toBeTruthy();
  expect(existsSync(join(folder, program))).toBe(false);
});

it("takes no other file than the published one", async () => {
  let requests = 0;
  const { failure } = await fetchFrom((_request, response) => {
    requests += 1;
    response.writeHead(200).end(zipOf("version", Buffer.from("v6.6.6")));
  });
  expect(failure).toBe("the file that came is not the one that was published");
  expect(requests).toBe(1);
  expect(existsSync(join(folder, program))).toBe(false);
});

it("asks once for a file that is not there", async () => {
  let requests = 0;
  const { failure } = await fetchFrom((_request, response) => {
    requests += 1;
    response.writeHead(404).end();
  });
  expect(failure).toMatch(/^127\.0\.0\.1:\d+ answers 404$/);
  expect(requests).toBe(1);
});

it("says why no server can be reached", async () => {
  const { failure, lines } = await fetchVia("http://127.0.0.1:9/");
  expect(failure).toBeTruthy();
  expect(failure).not.toBe("fetch failed");
  expect(lines).toHaveLength(3);
});

/** A ZIP archive with one uncompressed file. */
function zipOf(name: string, content: Buffer): Buffer {
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(content.length, 14);
  common.writeUInt32LE(content.length, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, Buffer.from(name), content]);
  const madeBy = Buffer.from([20, 0]);
  const attributes = Buffer.alloc(14);
  const entry = Buffer.concat([Buffer.from("PK\x01\x02"), madeBy, common, attributes, Buffer.from(name)]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(entry.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, entry, Buffer.from("PK\x05\x06"), end]);
}
