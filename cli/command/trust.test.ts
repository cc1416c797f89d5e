import { expect, it } from "vitest";
import { readTrustFor } from "./trust.ts";

const pin = `sha256:${"a".repeat(64)}`;

it("refuses to send an admin key to another computer without TLS", () => {
  expect(() => readTrustFor("http://office:3210", {}, {})).toThrow(/--insecure-http/);
  expect(() => readTrustFor("http://office:3210", { pin }, {})).toThrow(/https:/);
  expect(() => readTrustFor("ftp://office", {}, {})).toThrow(/not an http or https URL/);
  expect(() => readTrustFor("https://office:3210", { pin: "sha256:12" }, {})).toThrow(/64 hexadecimal/);
});

it("accepts loopback, TLS, a pin, and plain HTTP if the person insists", () => {
  expect(readTrustFor("http://127.0.0.1:3210", {}, {})).toEqual({ pin: null, insecureHttp: false });
  expect(readTrustFor("https://office:3210", { pin }, {})).toEqual({ pin, insecureHttp: false });
  expect(readTrustFor("https://office:3210", {}, { GLEANER_PIN: pin })).toMatchObject({ pin });
  expect(readTrustFor("http://office:3210", { "insecure-http": true }, {})).toMatchObject({
    insecureHttp: true,
  });
  expect(readTrustFor("http://office:3210", {}, { GLEANER_INSECURE_HTTP: "1" })).toMatchObject({
    insecureHttp: true,
  });
});
