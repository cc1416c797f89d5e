import { createPrivateKey, createPublicKey, verify } from "node:crypto";
import type { JobContext } from "@gleaner/queue/worker";
import { expect, it } from "vitest";
import { receiptStatement, resultStatement } from "../../../app/signatures/statements.ts";
import { sha256, Signer } from "./signer.ts";

/** The first test vector of RFC 8032, section 7.1: the seed and its public key. */
const seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const publicKeyHex = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const privateKey = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${seed}`, "hex"),
  format: "der",
  type: "pkcs8",
});
const signer = new Signer(privateKey);

const context: JobContext = {
  signal: new AbortController().signal,
  attemptId: "attempt1",
  jobId: "job1",
  kind: "chat",
  requirements: {},
  number: 1,
  remainingMs: null,
  fresh: undefined,
  append: () => undefined,
  report: () => undefined,
  progress: () => undefined,
  submit: async () => [],
};

function isSigned(text: string, signature: string): boolean {
  const bytes = Buffer.from(signature, "base64url");
  return verify(null, Buffer.from(text), createPublicKey(privateKey), bytes);
}

it("has the public key of the private one", () => {
  expect(Buffer.from(signer.publicKey, "base64url").toString("hex")).toBe(publicKeyHex);
});

it("proves that a device's key and its public key belong together", () => {
  const { publicKey, proof } = signer.registration("gd_secret");
  // The hash of "gd_secret".
  const keyHash = "4f8f7f6ec54604bba3a0738a338daab735f17ebdccce1255827c8c76c1162b5d";
  expect(isSigned(JSON.stringify(["gleaner.device-key", 1, { keyHash, publicKey }]), proof)).toBe(true);
});

it("adds the signature of the result, its attempt, its request and its costs to the report", async () => {
  const reports: unknown[] = [];
  const report = { usage: { promptTokens: 1 }, model: "ab", energy: { microWh: 1, source: "measured" } };
  const handler = signer.signed(
    async (_payload, ctx) => {
      ctx.report(report);
      return await Promise.resolve({ text: "Hi", finishReason: "stop" });
    },
    () => ({ deviceId: "device1", resultVersion: 3 }),
  );
  await handler({ b: 1, a: ["é"] }, { ...context, report: (facts) => reports.push(facts) });
  const hashes = {
    requestHash: "cde3c54c1d323a37b399fbf0246d2a68a66d3f4c8b57844aaab17ee6cddfdc07",
    // `printf Hi | sha256sum`
    answerHash: "3639efcd08abb273b1619e82e78c29a7df02c1051b1820e99fc395dcaa3326b8",
    resultHash: sha256('{"finishReason":"stop","text":"Hi"}'),
  };
  const value = expect.any(String) as string;
  expect(reports).toEqual([{ ...report, signature: { version: 2, jobId: "job1", ...hashes, value } }]);
  const [{ signature }] = reports as [{ signature: { value: string } }];
  const claim = { deviceId: "device1", attemptId: "attempt1", jobId: "job1", ...hashes, report };
  expect(isSigned(receiptStatement(claim), signature.value)).toBe(true);
});

it("signs only the costs, in version 1, for a backend of an earlier version", async () => {
  const reports: unknown[] = [];
  const handler = signer.signed(
    async (_payload, ctx) => {
      ctx.report({ early: true });
      ctx.report({ usage: { promptTokens: 1 }, model: "ab", energy: { microWh: 1, source: "measured" } });
      return await Promise.resolve({ text: "Hi", finishReason: "stop" });
    },
    () => ({ deviceId: "device1", resultVersion: 1 }),
  );
  const result = await handler({ b: 1, a: ["é"] }, { ...context, report: (facts) => reports.push(facts) });
  expect(result).toEqual({ text: "Hi", finishReason: "stop" });
  // The hash of {"a":["é"],"b":1}, and that of {"report":{"usage":{"promptTokens":1}},"result":{"finishReason":"stop","text":"Hi"}}.
  const requestHash = "cde3c54c1d323a37b399fbf0246d2a68a66d3f4c8b57844aaab17ee6cddfdc07";
  const resultHash = "ab2499866da7e30b91adb9b710ccd495b3a052597207a60d58bafe8f8ca1ae30";
  const value = expect.any(String) as string;
  expect(reports).toEqual([
    { usage: { promptTokens: 1 }, signature: { version: 1, jobId: "job1", requestHash, value } },
  ]);
  const [{ signature }] = reports as [{ signature: { value: string } }];
  const claim = { deviceId: "device1", attemptId: "attempt1", jobId: "job1", requestHash, resultHash };
  expect(isSigned(resultStatement(claim), signature.value)).toBe(true);
});

it("leaves a result without a report unsigned, and passes a failure on", async () => {
  const reports: unknown[] = [];
  const ctx = { ...context, report: (facts: unknown) => reports.push(facts) };
  await signer.signed(
    () => Promise.resolve("x"),
    () => ({ deviceId: "d", resultVersion: 2 }),
  )({}, ctx);
  const failing = signer.signed(
    () => Promise.reject(new Error("no")),
    () => ({ deviceId: "d", resultVersion: 2 }),
  );
  await expect(failing({}, ctx)).rejects.toThrow("no");
  expect(reports).toEqual([]);
});
