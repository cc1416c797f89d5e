import { describe, expect, it } from "vitest";
import { startSentence } from "../../app/contract/sentences/start-sentences.ts";
import { decideTrust, refusalOfUrl } from "./trust.ts";

const pinA = `sha256:${"a".repeat(64)}`;
const pinB = `sha256:${"b".repeat(64)}`;
const open = { pin: null, insecureHttp: false };

describe("the address of a backend", () => {
  it.each([
    "https://office.example.org",
    "http://127.0.0.1:3210",
    "http://localhost:3210",
    "http://[::1]:3210",
  ])("may be %s", (url) => expect(refusalOfUrl(url, open)).toBeNull());

  it.each([
    "http://office:3210",
    "http://192.168.1.5:3210",
    "http://127.0.0.1.example.org",
    "http://localhost.example.org",
    "http://[::2]",
  ])("may not be %s without TLS, unless the person insists", (url) => {
    expect(refusalOfUrl(url, open)?.name).toBe("plain-http");
    expect(refusalOfUrl(url, { pin: null, insecureHttp: true })).toBeNull();
  });

  it("has TLS if the key is pinned, even on loopback and if the person insists", () => {
    for (const insecureHttp of [false, true]) {
      expect(refusalOfUrl("http://127.0.0.1:3210", { pin: pinA, insecureHttp })?.name).toBe("pin-needs-tls");
    }
  });
});

describe("a donor's trust", () => {
  const given = { url: "https://office:3210", pin: null, insecureHttp: false, hasCode: false, rejoin: false };
  const stored = { pin: pinA, insecureHttp: false };

  it("is what it was told, before it enrolls", () => {
    expect(decideTrust({ ...given, pin: pinA }, null)).toEqual({ kind: "trust", trust: stored });
    expect(decideTrust(given, null)).toEqual({ kind: "trust", trust: open });
    expect(decideTrust({ ...given, url: "http://office:3210" }, null).kind).toBe("refused");
  });

  it("stays, without a flag", () => {
    expect(decideTrust(given, stored)).toEqual({ kind: "trust", trust: stored });
    expect(decideTrust({ ...given, hasCode: true }, stored)).toEqual({ kind: "trust", trust: stored });
    const insecure = { pin: null, insecureHttp: true };
    expect(decideTrust({ ...given, url: "http://office:3210" }, insecure)).toEqual({
      kind: "trust",
      trust: insecure,
    });
  });

  it("can become a pin", () => {
    expect(decideTrust({ ...given, pin: pinA }, open)).toEqual({ kind: "trust", trust: stored });
  });

  it("changes to another pin only with a new enrollment code, and then the device is a new one", () => {
    const changed = { ...given, pin: pinB };
    const refused = decideTrust(changed, stored);
    expect(refused).toEqual({ kind: "refused", sentence: startSentence("key-replaced", pinA, pinB) });
    const trust = { pin: pinB, insecureHttp: false };
    expect(decideTrust({ ...changed, hasCode: true }, stored)).toEqual({ kind: "join-anew", trust });
  });

  it("is never reduced to plain HTTP in the network", () => {
    const url = "http://office:3210";
    const decided = decideTrust({ ...given, url, insecureHttp: true, hasCode: true }, stored);
    expect(decided).toEqual({ kind: "refused", sentence: startSentence("pin-needs-tls", url) });
  });

  it("needs a code to join again", () => {
    const refused = decideTrust({ ...given, rejoin: true }, stored);
    expect(refused).toEqual({ kind: "refused", sentence: startSentence("rejoin-needs-code") });
    const withCode = decideTrust({ ...given, rejoin: true, hasCode: true }, stored);
    expect(withCode).toEqual({ kind: "trust", trust: stored });
  });

  it("keeps its pin while the backend is on loopback", () => {
    const url = "http://127.0.0.1:3210";
    expect(decideTrust({ ...given, url }, stored)).toEqual({ kind: "trust", trust: stored });
    expect(decideTrust({ ...given, url, pin: pinA }, stored).kind).toBe("refused");
  });
});
