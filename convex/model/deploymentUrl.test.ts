import { expect, it } from "vitest";
import { deploymentUrlFor } from "./deploymentUrl.ts";

it.each([
  // Bound to all addresses: the request names the machine or its address.
  ["http://office:3211/config", "http://127.0.0.1:3210", "http://office:3210"],
  ["http://10.0.0.7:3211/config", "http://localhost:3210", "http://10.0.0.7:3210"],
  ["http://[2001:db8::1]:3211/config", "http://[::1]:3210", "http://[2001:db8::1]:3210"],
  // Bound to all addresses with TLS, which programs on the machine itself do not need.
  ["https://office:3211/config", "http://127.0.0.1:3210", "https://office:3210"],
  ["https://localhost:3211/config", "http://127.0.0.1:3210", "https://127.0.0.1:3210"],
  // A request from the machine itself, under any of its names.
  ["http://127.0.0.1:3211/config", "http://127.0.0.1:3210", "http://127.0.0.1:3210"],
  ["http://localhost:3211/config", "http://127.0.0.1:3210", "http://127.0.0.1:3210"],
  // A configured URL: behind a proxy, or in the cloud.
  ["http://gleaner.example.org/config", "https://api.example.org", "https://api.example.org"],
  ["https://a-b-1.convex.site/config", "https://a-b-1.convex.cloud", "https://a-b-1.convex.cloud"],
  // A name that begins like a loopback address.
  ["http://127.0.0.1.example.org:3211/config", "http://127.0.0.1:3210", "http://127.0.0.1.example.org:3210"],
  ["http://office:3211/config", undefined, "http://office:3211"],
])("answers a request to %s on a deployment at %s with the URL %s", (request, own, expected) => {
  expect(deploymentUrlFor(request, own)).toBe(expected);
});
