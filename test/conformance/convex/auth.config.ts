import type { AuthConfig } from "convex/server";

// "none" if the deployment under test cannot reach an issuer: Convex refuses an unset variable.
const issuer = process.env["FIXTURE_ISSUER"] ?? "none";

const config: AuthConfig = {
  providers: issuer === "none" ? [] : [{ domain: issuer, applicationID: "fixture" }],
};

// Convex requires a default export here.
export default config;
