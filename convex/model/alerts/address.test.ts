import { expect, it } from "vitest";
import { webhookFault } from "./address.ts";

it("accepts public addresses with TLS", () => {
  for (const address of [
    "https://hooks.example.org/x",
    "https://8.8.8.8/",
    "https://172.32.0.1/",
    "https://[2606:4700::1]/",
  ])
    expect(webhookFault(address, false)).toBeNull();
});

it("refuses plain HTTP, passwords in the address, and what is no address", () => {
  expect(webhookFault("http://hooks.example.org/", false)).toContain("https://");
  expect(webhookFault("https://a:b@example.org/", false)).toContain("password");
  expect(webhookFault("hooks", false)).toContain("whole address");
  expect(webhookFault(`https://example.org/${"x".repeat(3_000)}`, false)).toContain("whole address");
});

it("refuses private networks in every form", () => {
  const addresses = [
    "localhost",
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "10.1.2.3",
    "192.168.0.4",
    "172.16.9.1",
  ];
  const others = [
    "169.254.169.254",
    "100.64.0.1",
    "[::1]",
    "[fd00::1]",
    "[fe80::1]",
    "[::ffff:10.0.0.1]",
    "db.internal",
  ];
  for (const host of [...addresses, ...others])
    expect(webhookFault(`https://${host}/hook`, false), host).toContain("private network");
});

it("allows this machine if only this machine reaches the server", () => {
  expect(webhookFault("http://127.0.0.1:8080/hook", true)).toBeNull();
  expect(webhookFault("http://127.0.0.1:8080/hook", false)).not.toBeNull();
  expect(webhookFault("http://10.0.0.1/hook", true)).not.toBeNull();
});
