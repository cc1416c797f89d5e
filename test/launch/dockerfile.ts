import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { dirname, join, matchesGlob, relative } from "node:path";
import { promisify } from "node:util";

export type Image = {
  /** The image's root folder. */
  readonly folder: string;
  readonly workFolder: string;
  readonly user: string;
  readonly volumes: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Arguments after `docker run IMAGE` are added to it. */
  readonly entryPoint: readonly string[];
  readonly healthCheck: readonly string[];
};

type Stage = Image & { readonly name: string };

/**
 * Makes the files of a Dockerfile's image without Docker: each stage is a folder in `target`. Packages are links to those
 * of the checkout, without development's after `npm prune`. Vite's builds run. @throws if a file is missing.
 */
export async function makeImage(root: string, dockerfile: string, target: string): Promise<Image> {
  const ignored = lines(await readFile(join(root, ".dockerignore"), "utf8"));
  const stages: Stage[] = [];
  for (const line of lines(await readFile(join(root, dockerfile), "utf8"))) {
    const [, word = "", text = ""] = /^(\w+) +(.*)$/.exec(line) ?? [];
    const stage = stages.at(-1);
    if (word === "FROM") {
      const name = / AS (\w+)$/.exec(text)?.[1] ?? String(stages.length);
      stages.push(emptyStage(name, join(target, name)));
    } else if (stage === undefined) {
      throw new Error(`${dockerfile} has to begin with FROM.`);
    } else if (word === "COPY") {
      const from = /^--from=(\w+) /.exec(text)?.[1];
      const source = from === undefined ? root : stages.find(({ name }) => name === from)?.folder;
      if (source === undefined) throw new Error(`There is no stage ${from}.`);
      const paths = text.split(" ").filter((part) => !part.startsWith("--"));
      await copy(source, paths, stage, from === undefined ? ignored : []);
    } else if (word === "RUN") {
      await run(root, text, stage);
    } else {
      stages[stages.length - 1] = await configured(stage, word, text);
    }
  }
  return stages.at(-1)!;
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

function emptyStage(name: string, folder: string): Stage {
  return {
    name,
    folder,
    workFolder: folder,
    user: "root",
    volumes: [],
    env: {},
    entryPoint: [],
    healthCheck: [],
  };
}

async function configured(stage: Stage, word: string, text: string): Promise<Stage> {
  switch (word) {
    case "WORKDIR":
      await mkdir(join(stage.folder, text), { recursive: true });
      return { ...stage, workFolder: join(stage.folder, text) };
    case "ENV":
      return { ...stage, env: Object.fromEntries(text.split(" ").map((pair) => pair.split("=", 2))) };
    case "USER":
      return { ...stage, user: text };
    case "VOLUME":
      return { ...stage, volumes: [...stage.volumes, text] };
    case "ENTRYPOINT":
      return { ...stage, entryPoint: JSON.parse(text) as string[] };
    case "HEALTHCHECK":
      return { ...stage, healthCheck: JSON.parse(text.slice(text.indexOf("["))) as string[] };
    case "EXPOSE":
      return stage;
    default:
      throw new Error(`This test does not know the instruction ${word}.`);
  }
}

async function copy(source: string, paths: readonly string[], stage: Stage, ignored: readonly string[]) {
  const to = paths.at(-1)!;
  for (const path of paths.slice(0, -1)) {
    const from = join(source, path);
    const name = to.endsWith("/") ? join(to, path.split("/").at(-1)!) : to;
    await cp(from, join(stage.workFolder, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => !ignored.some((glob) => matchesGlob(relative(source, file), glob)),
    });
  }
}

async function run(root: string, command: string, { folder, workFolder }: Stage): Promise<void> {
  const [program, verb, ...rest] = command.split(" ");
  if (program === "npm" && verb === "ci") {
    await linkPackages(root, workFolder, () => true);
  } else if (program === "npm" && verb === "prune") {
    await promisify(execFile)("rm", ["-r", join(workFolder, "node_modules")]);
    await linkPackages(root, workFolder, ({ dev }) => dev !== true);
  } else if (program === "npx" && verb === "vite") {
    await promisify(execFile)(join(root, "node_modules/.bin/vite"), rest, { cwd: workFolder });
  } else if (program === "install" && verb === "-d") {
    await mkdir(join(folder, rest.at(-1)!), { recursive: true, mode: 0o700 });
  } else {
    throw new Error(`This test does not know the command ${command}.`);
  }
}

type Locked = { readonly dev?: boolean; readonly link?: boolean; readonly resolved?: string };

/** Links the packages that the lock file lists. Workspaces are links into the image, as npm makes them. */
async function linkPackages(
  root: string,
  folder: string,
  isWanted: (locked: Locked) => boolean,
): Promise<void> {
  const lock = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const installed = new Set(await readdir(join(root, "node_modules"), { recursive: false }));
  for (const [path, locked] of Object.entries(lock.packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    // Optional packages of other systems are not installed.
    if (name === undefined || !installed.has(name.split("/")[0]!) || !isWanted(locked)) continue;
    const link = join(folder, path);
    await mkdir(dirname(link), { recursive: true });
    if (locked.link === true) {
      await readFile(join(folder, locked.resolved!, "package.json"));
      await symlink(relative(dirname(link), join(folder, locked.resolved!)), link);
    } else {
      await symlink(join(root, path), link);
    }
  }
}
