import { spawnSync } from "node:child_process";
import { convexCli, credentials, makeProject } from "./project.ts";

/**
 * `CONVEX_URL=… CONVEX_ADMIN_KEY=… node test/conformance/deploy.ts` pushes the fixture's functions to a deployment
 * on which nothing else lives: it replaces the functions that are there.
 */
async function main(): Promise<number> {
  const { CONVEX_URL: url, CONVEX_ADMIN_KEY: adminKey } = process.env;
  if (url === undefined || adminKey === undefined) {
    console.error("Set CONVEX_URL and CONVEX_ADMIN_KEY: see test/conformance/README.md.");
    return 2;
  }
  const project = await makeProject();
  // A development deployment is pushed to by `dev`, every other by `deploy`.
  const command = adminKey.startsWith("dev:") ? ["dev", "--once"] : ["deploy"];
  const convex = (...args: string[]): number =>
    spawnSync(process.execPath, [convexCli, ...args], {
      cwd: project.folder,
      stdio: "inherit",
      env: { ...process.env, ...credentials(url, adminKey) },
    }).status ?? 1;
  // auth.config.ts reads it, and Convex refuses to push what reads a variable that is not set.
  const prepared = convex("env", "set", "FIXTURE_ISSUER", process.env["FIXTURE_ISSUER"] ?? "none");
  const status = prepared === 0 ? convex(...command, "--typecheck", "disable") : prepared;
  await project.remove();
  return status;
}

process.exitCode = await main();
