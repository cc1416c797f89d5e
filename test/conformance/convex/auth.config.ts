import type { AuthConfig } from "convex/server";

// "none" where the deployment under test cannot reach an issuer: Convex refuses a variable that is not set.
const issuer = process.env["FIXTURE_ISSUER"] ?? "none";

const config: AuthConfig = {
  providers: issuer === "none" ? [] : [{ domain: issuer, applicationID: "fixture" }],
};

// The framework's bundler looks for the default export.
export default config;
