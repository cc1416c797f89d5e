import { spawnSync } from "node:child_process";
import { convexCli, credentials, makeProject } from "./project.ts";

/**
 * `CONVEX_URL=… CONVEX_ADMIN_KEY=… node test/conformance/deploy.ts` pushes the test app's functions to a deployment
 * without other use: it replaces the present functions.
 */
async function main(): Promise<number> {
  const { CONVEX_URL: url, CONVEX_ADMIN_KEY: adminKey } = process.env;
  if (url === undefined || adminKey === undefined) {
    console.error("Set CONVEX_URL and CONVEX_ADMIN_KEY: see test/conformance/README.md.");
    return 2;
  }
  const project = await makeProject();
  // `dev` pushes to a development deployment, `deploy` to any other.
  const command = adminKey.startsWith("dev:") ? ["dev", "--once"] : ["deploy"];
  const convex = (...args: string[]): number =>
    spawnSync(process.execPath, [convexCli, ...args], {
      cwd: project.folder,
      stdio: "inherit",
      env: { ...process.env, ...credentials(url, adminKey) },
    }).status ?? 1;
  // auth.config.ts reads it, and Convex refuses a push that reads an unset variable.
  const prepared = convex("env", "set", "FIXTURE_ISSUER", process.env["FIXTURE_ISSUER"] ?? "none");
  const status = prepared === 0 ? convex(...command, "--typecheck", "disable") : prepared;
  await project.remove();
  return status;
}

process.exitCode = await main();
