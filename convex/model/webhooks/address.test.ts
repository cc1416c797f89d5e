import { expect, it } from "vitest";
import { type Allowed, hostsIn, isPrivateIp, webhookFault } from "./address.ts";

const strict: Allowed = { serverIsHere: false, hosts: [] };

it("accepts public addresses with TLS", () => {
  for (const address of [
    "https://hooks.example.org/x",
    "https://hooks.example.org:8443/x",
    "https://8.8.8.8/",
    "https://172.32.0.1/",
    "https://[2606:4700::1]/",
  ])
    expect(webhookFault(address, strict)).toBeNull();
});

it("refuses plain HTTP, other services' ports, passwords in the address, and what is no address", () => {
  expect(webhookFault("http://hooks.example.org/", strict)).toContain("https://");
  expect(webhookFault("https://hooks.example.org:25/", strict)).toContain("port");
  expect(webhookFault("https://a:b@example.org/", strict)).toContain("password");
  expect(webhookFault("hooks", strict)).toContain("whole address");
  expect(webhookFault(`https://example.org/${"x".repeat(3_000)}`, strict)).toContain("whole address");
});

const privateIps = ["127.0.0.1", "10.1.2.3", "192.168.0.4", "172.16.9.1", "169.254.169.254", "100.64.0.1"];
const privateIpv6 = [
  "::1",
  "::",
  "fd00::1",
  "fe80::1",
  "::ffff:10.0.0.1",
  "64:ff9b::a00:1",
  "2002:a00:1::",
  "ff02::1",
  // Teredo, which leads to an IPv4 address, and those of documentation and of no one.
  "2001::a00:1",
  "2001:0:a00:1::",
  "2001:db8::1",
  "3fff:fff::1",
  "100::1",
  "5f00::1",
];

it("refuses private networks in every form", () => {
  const names = ["localhost", "localhost.", "db.internal", "printer.local", "2130706433", "0x7f.1"];
  for (const host of [...names, ...privateIps, ...privateIpv6.map((ip) => `[${ip}]`)])
    expect(webhookFault(`https://${host}/hook`, strict), host).toContain("private network");
});

it("knows the private addresses to which a name can lead", () => {
  const others = [
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "198.18.0.1",
    "fe80::1%eth0",
    "0:0:0:0:0:0:0:1",
    "no ip",
  ];
  for (const ip of [...privateIps, ...privateIpv6, ...others]) expect(isPrivateIp(ip), ip).toBe(true);
  for (const ip of [
    "8.8.8.8",
    "172.32.0.1",
    "223.255.255.1",
    "2606:4700::1",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2a00:1450::1",
    "3fff:1000::1",
  ])
    expect(isPrivateIp(ip), ip).toBe(false);
});

it("allows this machine if only this machine reaches the server", () => {
  const here: Allowed = { serverIsHere: true, hosts: [] };
  expect(webhookFault("http://127.0.0.1:8080/hook", here)).toBeNull();
  expect(webhookFault("ftp://127.0.0.1/hook", here)).not.toBeNull();
  expect(webhookFault("http://127.0.0.1:8080/hook", strict)).not.toBeNull();
  expect(webhookFault("http://10.0.0.1/hook", here)).not.toBeNull();
});

it("allows the hosts that the operator names, with any port or with the one that is named", () => {
  const allowed: Allowed = {
    serverIsHere: false,
    hosts: hostsIn("Hooks.corp.example, 10.0.0.5:8080, [FD00::5],"),
  };
  expect(webhookFault("http://hooks.corp.example/x", allowed)).toBeNull();
  expect(webhookFault("http://hooks.corp.example:9000/x", allowed)).toBeNull();
  expect(webhookFault("http://10.0.0.5:8080/x", allowed)).toBeNull();
  expect(webhookFault("http://10.0.0.5:9000/x", allowed)).not.toBeNull();
  expect(webhookFault("http://[fd00::5]:9000/x", allowed)).toBeNull();
  expect(webhookFault("https://[fd00::6]/x", allowed)).not.toBeNull();
  expect(webhookFault("https://other.corp.internal/x", allowed)).not.toBeNull();
});
